<?php

// Interop checks with php-amqplib, the client written in PHP.

declare(strict_types=1);

require 'PhpAmqpLib/autoload.php';
require __DIR__ . '/checks.php';

use PhpAmqpLib\Channel\AMQPChannel;
use PhpAmqpLib\Connection\AMQPStreamConnection;
use PhpAmqpLib\Exception\AMQPProtocolChannelException;
use PhpAmqpLib\Exception\AMQPTimeoutException;
use PhpAmqpLib\Message\AMQPMessage;
use PhpAmqpLib\Package;
use PhpAmqpLib\Wire\AMQPTable;

function connect(int $heartbeat = 0): AMQPStreamConnection
{
    return new AMQPStreamConnection(amqpHost(), amqpPort(), 'guest', 'guest', '/', false,
        'AMQPLAIN', null, 'en_US', 3.0, 10.0, null, false, $heartbeat);
}

function newQueue(AMQPChannel $channel, array $arguments = []): string
{
    return $channel->queue_declare('', false, false, true, false, false,
        new AMQPTable($arguments))[0];
}

function newExchange(AMQPChannel $channel, string $type): string
{
    $name = unique($type);
    $channel->exchange_declare($name, $type, false, false, true);
    return $name;
}

function publish(AMQPChannel $channel, string $exchange, string $key, string $body,
    array $properties = []): void
{
    $channel->basic_publish(new AMQPMessage($body, $properties), $exchange, $key);
}

function fetch(AMQPChannel $channel, string $queue, bool $noAck = true): AMQPMessage
{
    return eventually("message in $queue", fn () => $channel->basic_get($queue, $noAck));
}

function bodies(AMQPChannel $channel, string $queue): array
{
    $found = [];
    while (($message = $channel->basic_get($queue, true)) !== null) {
        $found[] = $message->getBody();
    }
    return $found;
}

function countReady(AMQPChannel $channel, string $queue): int
{
    return $channel->queue_declare($queue, true)[1];
}

/** Handles what arrives until the condition holds. */
function waitUntil(AMQPChannel $channel, string $what, callable $done): void
{
    eventually($what, function () use ($channel, $done) {
        quietly($channel, 0.1);
        return $done();
    });
}

/** Handles what arrives until nothing did for so long. */
function quietly(AMQPChannel $channel, float $seconds): void
{
    try {
        while (true) {
            $channel->wait(null, false, $seconds);
        }
    } catch (AMQPTimeoutException $nothing) {
    }
}

runChecks(Package::VERSION, [
    'get' => function () {
        $channel = connect()->channel();
        $queue = newQueue($channel);
        $exchange = newExchange($channel, 'direct');
        $channel->queue_bind($queue, $exchange, 'key');
        publish($channel, $exchange, 'key', 'one');
        publish($channel, $exchange, 'key', 'two');
        $message = fetch($channel, $queue, false);
        same('body', $message->getBody(), 'one');
        same('exchange', $message->getExchange(), $exchange);
        same('still ready', $message->getMessageCount(), 1);
        $message->ack();
        same('rest', bodies($channel, $queue), ['two']);
    },
    'consume-ack' => function () {
        $channel = connect()->channel();
        $queue = newQueue($channel);
        $wanted = array_map('strval', range(0, 9));
        foreach ($wanted as $body) {
            publish($channel, '', $queue, $body);
        }
        $got = [];
        $tag = $channel->basic_consume($queue, '', false, false, false, false,
            function (AMQPMessage $message) use (&$got) {
                $got[] = $message->getBody();
                $message->ack();
            });
        waitUntil($channel, 'deliveries', function () use (&$got) {
            return count($got) === 10;
        });
        $channel->basic_cancel($tag);
        same('bodies', $got, $wanted);
        same('left', countReady($channel, $queue), 0);
    },
    'nack-requeue' => function () {
        $channel = connect()->channel();
        $queue = newQueue($channel);
        publish($channel, '', $queue, 'again');
        $message = fetch($channel, $queue, false);
        same('redelivered at first', $message->isRedelivered(), false);
        $message->nack(true);
        $message = fetch($channel, $queue);
        same('redelivered', $message->isRedelivered(), true);
        same('body', $message->getBody(), 'again');
    },
    'reject' => function () {
        $channel = connect()->channel();
        $queue = newQueue($channel);
        publish($channel, '', $queue, 'unwanted');
        fetch($channel, $queue, false)->reject(false);
        same('left', bodies($channel, $queue), []);
    },
    'prefetch' => function () {
        $channel = connect()->channel();
        $queue = newQueue($channel);
        for ($i = 0; $i < 5; $i++) {
            publish($channel, '', $queue, 'x');
        }
        $channel->basic_qos(0, 2, false);
        $got = [];
        $channel->basic_consume($queue, '', false, false, false, false,
            function (AMQPMessage $message) use (&$got) {
                $got[] = $message;
            });
        foreach ([2, 3] as $wanted) {
            waitUntil($channel, 'deliveries', function () use (&$got, $wanted) {
                return count($got) >= $wanted;
            });
            quietly($channel, 0.3);
            same('deliveries', count($got), $wanted);
            $got[$wanted - 2]->ack();
        }
    },
    'confirms' => function () {
        $channel = connect()->channel();
        $queue = unique('durable');
        $channel->queue_declare($queue, false, true, false, false);
        try {
            $acked = 0;
            $channel->set_ack_handler(function () use (&$acked) {
                $acked++;
            });
            $channel->confirm_select();
            for ($i = 0; $i < 100; $i++) {
                publish($channel, '', $queue, 'x', ['delivery_mode' => 2]);
            }
            $channel->wait_for_pending_acks(WAIT_SECONDS);
            same('acked', $acked, 100);
            same('stored', countReady($channel, $queue), 100);
        } finally {
            $channel->queue_delete($queue);
        }
    },
    'mandatory-return' => function () {
        $channel = connect()->channel();
        $returned = [];
        $channel->set_return_listener(
            function ($code, $text, $exchange, $key, $message) use (&$returned) {
                $returned = [$code, $text, $message->getBody()];
            }
        );
        $channel->basic_publish(new AMQPMessage('back'), '', unique('nowhere'), true);
        waitUntil($channel, 'return', function () use (&$returned) {
            return $returned !== [];
        });
        same('return', $returned, [312, 'NO_ROUTE', 'back']);
    },
    'topic' => function () {
        $channel = connect()->channel();
        $exchange = newExchange($channel, 'topic');
        [$star, $rest] = [newQueue($channel), newQueue($channel)];
        $channel->queue_bind($star, $exchange, '*.b');
        $channel->queue_bind($rest, $exchange, '#');
        foreach (['a.b', 'b', 'a.b.c'] as $key) {
            publish($channel, $exchange, $key, $key);
        }
        same('*.b', bodies($channel, $star), ['a.b']);
        same('#', bodies($channel, $rest), ['a.b', 'b', 'a.b.c']);
    },
    'headers' => function () {
        $channel = connect()->channel();
        $exchange = newExchange($channel, 'headers');
        [$both, $either] = [newQueue($channel), newQueue($channel)];
        $fields = ['colour' => 'red', 'size' => 3];
        $channel->queue_bind($both, $exchange, '', false,
            new AMQPTable(['x-match' => 'all'] + $fields));
        $channel->queue_bind($either, $exchange, '', false,
            new AMQPTable(['x-match' => 'any'] + $fields));
        $messages = ['both' => $fields, 'one' => ['size' => 3], 'none' => ['size' => 4]];
        foreach ($messages as $body => $headers) {
            publish($channel, $exchange, '', $body,
                ['application_headers' => new AMQPTable($headers)]);
        }
        same('all', bodies($channel, $both), ['both']);
        same('any', bodies($channel, $either), ['both', 'one']);
    },
    'fanout' => function () {
        $channel = connect()->channel();
        $exchange = newExchange($channel, 'fanout');
        $queues = [newQueue($channel), newQueue($channel), newQueue($channel)];
        foreach ($queues as $queue) {
            $channel->queue_bind($queue, $exchange);
        }
        publish($channel, $exchange, 'ignored', 'all');
        foreach ($queues as $queue) {
            same($queue, bodies($channel, $queue), ['all']);
        }
    },
    'exchange-to-exchange' => function () {
        $channel = connect()->channel();
        [$source, $target] = [newExchange($channel, 'direct'), newExchange($channel, 'fanout')];
        $queue = newQueue($channel);
        $channel->queue_bind($queue, $target);
        $channel->exchange_bind($target, $source, 'go');
        publish($channel, $source, 'go', 'yes');
        publish($channel, $source, 'stop', 'no');
        same('through both', bodies($channel, $queue), ['yes']);
        $channel->exchange_unbind($target, $source, 'go');
    },
    'passive-missing' => function () {
        $connection = connect();
        try {
            $connection->channel()->queue_declare(unique('missing'), true);
        } catch (AMQPProtocolChannelException $error) {
            same('code', $error->amqp_reply_code, 404);
            newQueue($connection->channel());
            return;
        }
        throw new RuntimeException('no error');
    },
    'tx' => function () {
        $connection = connect();
        [$channel, $other] = [$connection->channel(), $connection->channel()];
        $queue = newQueue($channel);
        $channel->tx_select();
        publish($channel, '', $queue, 'kept');
        same('before commit', countReady($other, $queue), 0);
        $channel->tx_commit();
        same('after commit', countReady($other, $queue), 1);
        publish($channel, '', $queue, 'dropped');
        $channel->tx_rollback();
        same('after rollback', bodies($other, $queue), ['kept']);
    },
    'direct-reply-to' => function () {
        $connection = connect();
        [$client, $server] = [$connection->channel(), $connection->channel()];
        $queue = newQueue($server);
        $replies = [];
        $client->basic_consume('amq.rabbitmq.reply-to', '', false, true, false, false,
            function (AMQPMessage $reply) use (&$replies) {
                $replies[] = $reply->getBody() . $reply->get('correlation_id');
            });
        publish($client, '', $queue, 'question',
            ['reply_to' => 'amq.rabbitmq.reply-to', 'correlation_id' => '7']);
        $request = fetch($server, $queue);
        publish($server, '', $request->get('reply_to'), 'answer',
            ['correlation_id' => $request->get('correlation_id')]);
        waitUntil($client, 'reply', function () use (&$replies) {
            return $replies !== [];
        });
        same('replies', $replies, ['answer7']);
    },
    'big-body' => function () {
        $channel = connect()->channel();
        $queue = newQueue($channel);
        $body = random_bytes(3 << 20);
        publish($channel, '', $queue, $body);
        same('same body', fetch($channel, $queue)->getBody() === $body, true);
    },
    'empty-body' => function () {
        $channel = connect()->channel();
        $queue = newQueue($channel);
        publish($channel, '', $queue, '', ['content_type' => 'text/plain']);
        $message = fetch($channel, $queue);
        same('body', $message->getBody(), '');
        same('content type', $message->get('content_type'), 'text/plain');
    },
    'header-types' => function () {
        $fields = [
            'text' => 'grüße', 'yes' => true, 'no' => false, 'small' => -5, 'large' => 1 << 40,
            'none' => null, 'list' => [1, 'two', [3]], 'table' => ['inner' => ['deep' => 1]],
        ];
        $plain = [
            'content_type' => 'application/json', 'content_encoding' => 'utf-8',
            'delivery_mode' => 1, 'priority' => 4, 'correlation_id' => 'c', 'reply_to' => 'r',
            'expiration' => '60000', 'message_id' => 'm', 'timestamp' => 1700000000, 'type' => 't',
            'user_id' => 'guest', 'app_id' => 'a',
        ];
        $channel = connect()->channel();
        $queue = newQueue($channel);
        publish($channel, '', $queue, 'x',
            ['application_headers' => new AMQPTable($fields)] + $plain);
        $message = fetch($channel, $queue);
        same('headers', $message->get('application_headers')->getNativeData(), $fields);
        foreach ($plain as $key => $value) {
            same($key, $message->get($key), $value);
        }
    },
    'consumer-cancel' => function () {
        $connection = connect();
        [$channel, $other] = [$connection->channel(), $connection->channel()];
        $queue = newQueue($channel);
        $tag = $channel->basic_consume($queue);
        same('consuming', $channel->is_consuming(), true);
        $other->queue_delete($queue);
        try {
            $channel->wait(null, false, WAIT_SECONDS);
        } catch (PhpAmqpLib\Exception\AMQPBasicCancelException $cancelled) {
            same('tag', $cancelled->consumerTag, $tag);
            newQueue($channel);
            return;
        }
        throw new RuntimeException('not told');
    },
    'two-channels' => function () {
        $connection = connect();
        [$first, $second] = [$connection->channel(), $connection->channel()];
        $queue = newQueue($first);
        for ($i = 0; $i < 50; $i++) {
            publish($i % 2 ? $first : $second, '', $queue, 'x');
        }
        eventually('all messages', fn () => countReady($first, $queue) === 50);
        same('first tag', $first->basic_get($queue)->getDeliveryTag(), 1);
        $theirs = $second->basic_get($queue);
        same('second tag', $theirs->getDeliveryTag(), 1);
        $theirs->ack();
        $first->close();
        eventually('requeued on close', fn () => countReady($second, $queue) === 49);
    },
    'heartbeat' => function () {
        $connection = connect(2);
        // This client sends heartbeats only when it is asked to, and while it waits.
        for ($i = 0; $i < 6; $i++) {
            usleep(900000);
            $connection->checkHeartBeat();
        }
        newQueue($connection->channel());
    },
    'ttl-dead-letter' => function () {
        $channel = connect()->channel();
        $dead = newQueue($channel);
        $queue = newQueue($channel, ['x-message-ttl' => 100, 'x-dead-letter-exchange' => '',
            'x-dead-letter-routing-key' => $dead]);
        publish($channel, '', $queue, 'late');
        $headers = fetch($channel, $dead)->get('application_headers')->getNativeData();
        same('reason', $headers['x-death'][0]['reason'], 'expired');
        same('queue', $headers['x-death'][0]['queue'], $queue);
    },
]);
