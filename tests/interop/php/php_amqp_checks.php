<?php

// Interop checks with php-amqp, the PHP extension around librabbitmq.

declare(strict_types=1);

require __DIR__ . '/checks.php';

function connect(array $options = []): AMQPConnection
{
    $connection = new AMQPConnection(['host' => amqpHost(), 'port' => amqpPort(),
        'login' => 'guest', 'password' => 'guest', 'read_timeout' => WAIT_SECONDS,
        'rpc_timeout' => WAIT_SECONDS] + $options);
    $connection->connect();
    return $connection;
}

function openChannel(): AMQPChannel
{
    return new AMQPChannel(connect());
}

function newQueue(AMQPChannel $channel, array $arguments = []): AMQPQueue
{
    $queue = new AMQPQueue($channel);
    $queue->setFlags(AMQP_EXCLUSIVE);
    $queue->setArguments($arguments);
    $queue->declareQueue();
    return $queue;
}

function newExchange(AMQPChannel $channel, string $type): AMQPExchange
{
    $exchange = new AMQPExchange($channel);
    $exchange->setName(unique($type));
    $exchange->setType($type);
    $exchange->setFlags(AMQP_AUTODELETE);
    $exchange->declareExchange();
    return $exchange;
}

/** Publishes straight to the queue, through the default exchange. */
function put(AMQPQueue $queue, string $body, array $properties = []): void
{
    $exchange = new AMQPExchange($queue->getChannel());
    $exchange->publish($body, $queue->getName(), AMQP_NOPARAM, $properties);
}

function fetch(AMQPQueue $queue, int $flags = AMQP_AUTOACK): AMQPEnvelope
{
    return eventually('message in ' . $queue->getName(), fn () => $queue->get($flags));
}

function countReady(AMQPQueue $queue): int
{
    $again = new AMQPQueue($queue->getChannel());
    $again->setName($queue->getName());
    $again->setFlags(AMQP_PASSIVE);
    return $again->declareQueue();
}

function bodies(AMQPQueue $queue): array
{
    $found = [];
    while ($message = $queue->get(AMQP_AUTOACK)) {
        $found[] = $message->getBody();
    }
    return $found;
}

/** Gives deliveries to the callback until it returns false or the time is up. */
function consumeFor(AMQPQueue $queue, float $seconds, callable $callback): void
{
    $queue->getConnection()->setReadTimeout($seconds);
    try {
        $queue->consume($callback);
    } catch (AMQPQueueException $error) {
        if (stripos($error->getMessage(), 'timeout') === false) {
            throw $error;
        }
    }
}

runChecks(phpversion('amqp'), [
    'get' => function () {
        $channel = openChannel();
        $queue = newQueue($channel);
        $exchange = newExchange($channel, AMQP_EX_TYPE_DIRECT);
        $queue->bind($exchange->getName(), 'key');
        $exchange->publish('one', 'key');
        $exchange->publish('two', 'key');
        $message = fetch($queue, AMQP_NOPARAM);
        same('body', $message->getBody(), 'one');
        same('exchange', $message->getExchangeName(), $exchange->getName());
        $queue->ack($message->getDeliveryTag());
        same('rest', bodies($queue), ['two']);
    },
    'consume-ack' => function () {
        $queue = newQueue(openChannel());
        $wanted = array_map('strval', range(0, 9));
        foreach ($wanted as $body) {
            put($queue, $body);
        }
        $got = [];
        consumeFor($queue, WAIT_SECONDS, function (AMQPEnvelope $message) use ($queue, &$got) {
            $got[] = $message->getBody();
            $queue->ack($message->getDeliveryTag());
            return count($got) < 10;
        });
        $queue->cancel();
        same('bodies', $got, $wanted);
        same('left', countReady($queue), 0);
    },
    'nack-requeue' => function () {
        $queue = newQueue(openChannel());
        put($queue, 'again');
        $message = fetch($queue, AMQP_NOPARAM);
        same('redelivered at first', $message->isRedelivery(), false);
        $queue->nack($message->getDeliveryTag(), AMQP_REQUEUE);
        $message = fetch($queue);
        same('redelivered', $message->isRedelivery(), true);
        same('body', $message->getBody(), 'again');
    },
    'reject' => function () {
        $queue = newQueue(openChannel());
        put($queue, 'unwanted');
        $queue->reject(fetch($queue, AMQP_NOPARAM)->getDeliveryTag());
        same('left', bodies($queue), []);
    },
    'prefetch' => function () {
        $channel = openChannel();
        $channel->qos(0, 2);
        $queue = newQueue($channel);
        for ($i = 0; $i < 5; $i++) {
            put($queue, 'x');
        }
        $got = 0;
        consumeFor($queue, 0.5, function () use (&$got) {
            $got++;
        });
        same('deliveries', $got, 2);
    },
    'confirms' => function () {
        $channel = openChannel();
        $queue = newQueue($channel);
        $channel->confirmSelect();
        $confirmed = 0;
        $channel->setConfirmCallback(
            function (int $tag, bool $multiple) use (&$confirmed) {
                $confirmed = $multiple ? $tag : $confirmed + 1;
                return $confirmed < 20;
            },
            fn () => false
        );
        for ($i = 0; $i < 20; $i++) {
            put($queue, 'x');
        }
        $channel->waitForConfirm(WAIT_SECONDS);
        same('stored', countReady($queue), 20);
    },
    'mandatory-return' => function () {
        $channel = openChannel();
        $returned = [];
        $channel->setReturnCallback(
            function ($code, $text, $exchange, $key, $properties, $body) use (&$returned) {
                $returned = [$code, $text, $body];
                return false;
            }
        );
        (new AMQPExchange($channel))->publish('back', unique('nowhere'), AMQP_MANDATORY);
        $channel->waitForBasicReturn(WAIT_SECONDS);
        same('return', $returned, [312, 'NO_ROUTE', 'back']);
    },
    'topic' => function () {
        $channel = openChannel();
        $exchange = newExchange($channel, AMQP_EX_TYPE_TOPIC);
        [$star, $rest] = [newQueue($channel), newQueue($channel)];
        $star->bind($exchange->getName(), '*.b');
        $rest->bind($exchange->getName(), '#.b');
        foreach (['a.b', 'b', 'a.b.c'] as $key) {
            $exchange->publish($key, $key);
        }
        same('*.b', bodies($star), ['a.b']);
        same('#.b', bodies($rest), ['a.b', 'b']);
    },
    'headers' => function () {
        $channel = openChannel();
        $exchange = newExchange($channel, AMQP_EX_TYPE_HEADERS);
        [$both, $either] = [newQueue($channel), newQueue($channel)];
        $fields = ['colour' => 'red', 'size' => 3];
        $both->bind($exchange->getName(), '', ['x-match' => 'all'] + $fields);
        $either->bind($exchange->getName(), '', ['x-match' => 'any'] + $fields);
        $messages = ['both' => $fields, 'one' => ['size' => 3], 'none' => ['size' => 4]];
        foreach ($messages as $body => $headers) {
            $exchange->publish($body, '', AMQP_NOPARAM, ['headers' => $headers]);
        }
        same('all', bodies($both), ['both']);
        same('any', bodies($either), ['both', 'one']);
    },
    'fanout' => function () {
        $channel = openChannel();
        $exchange = newExchange($channel, AMQP_EX_TYPE_FANOUT);
        $queues = [newQueue($channel), newQueue($channel), newQueue($channel)];
        foreach ($queues as $queue) {
            $queue->bind($exchange->getName());
        }
        $exchange->publish('all', 'ignored');
        foreach ($queues as $queue) {
            same($queue->getName(), bodies($queue), ['all']);
        }
    },
    'exchange-to-exchange' => function () {
        $channel = openChannel();
        $source = newExchange($channel, AMQP_EX_TYPE_DIRECT);
        $target = newExchange($channel, AMQP_EX_TYPE_FANOUT);
        $queue = newQueue($channel);
        $queue->bind($target->getName());
        $target->bind($source->getName(), 'go');
        $source->publish('yes', 'go');
        $source->publish('no', 'stop');
        same('through both', bodies($queue), ['yes']);
        $target->unbind($source->getName(), 'go');
    },
    'passive-missing' => function () {
        $connection = connect();
        $queue = new AMQPQueue(new AMQPChannel($connection));
        $queue->setName(unique('missing'));
        $queue->setFlags(AMQP_PASSIVE);
        try {
            $queue->declareQueue();
        } catch (AMQPQueueException $error) {
            same('code', $error->getCode(), 404);
            newQueue(new AMQPChannel($connection));
            return;
        }
        throw new RuntimeException('no error');
    },
    'tx' => function () {
        $connection = connect();
        $channel = new AMQPChannel($connection);
        $queue = newQueue($channel);
        $channel->startTransaction();
        put($queue, 'dropped');
        $channel->rollbackTransaction();
        put($queue, 'kept');
        $channel->commitTransaction();
        same('after commit', bodies($queue), ['kept']);
    },
    'big-body' => function () {
        $queue = newQueue(openChannel());
        $body = random_bytes(3 << 20);
        put($queue, $body);
        same('same body', fetch($queue)->getBody() === $body, true);
    },
    'empty-body' => function () {
        $queue = newQueue(openChannel());
        put($queue, '', ['content_type' => 'text/plain']);
        $message = fetch($queue);
        // The extension says false when there is no body.
        same('no body', (string) $message->getBody(), '');
        same('content type', $message->getContentType(), 'text/plain');
    },
    'header-types' => function () {
        // Numbers in a list are left out: the extension loses them when it reads.
        $fields = ['text' => 'grüße', 'yes' => true, 'no' => false, 'small' => -5,
            'large' => 1 << 40, 'float' => 2.5, 'list' => ['one', 'two'], 'table' => ['deep' => 1]];
        $queue = newQueue(openChannel());
        put($queue, 'x', ['headers' => $fields, 'priority' => 4, 'correlation_id' => 'c',
            'message_id' => 'm', 'timestamp' => 1700000000, 'user_id' => 'guest']);
        $message = fetch($queue);
        same('headers', $message->getHeaders(), $fields);
        same('priority', $message->getPriority(), 4);
        same('correlation id', $message->getCorrelationId(), 'c');
        same('message id', $message->getMessageId(), 'm');
        same('timestamp', (int) (string) $message->getTimestamp(), 1700000000);
        same('user id', $message->getUserId(), 'guest');
    },
    'two-channels' => function () {
        $connection = connect();
        [$first, $second] = [new AMQPChannel($connection), new AMQPChannel($connection)];
        $queue = newQueue($first);
        for ($i = 0; $i < 10; $i++) {
            (new AMQPExchange($i % 2 ? $first : $second))->publish('x', $queue->getName());
        }
        eventually('all messages', fn () => countReady($queue) === 10);
        $again = new AMQPQueue($second);
        $again->setName($queue->getName());
        same('first tag', (int) $queue->get()->getDeliveryTag(), 1);
        $theirs = $again->get()->getDeliveryTag();
        same('second tag', (int) $theirs, 1);
        $again->ack($theirs);
        $first->close();
        eventually('requeued on close', fn () => countReady($again) === 9);
    },
    'heartbeat' => function () {
        $connection = connect(['heartbeat' => 2]);
        $queue = newQueue(new AMQPChannel($connection));
        // librabbitmq sends heartbeats only while it waits.
        consumeFor($queue, 5.5, fn () => true);
        newQueue(new AMQPChannel($connection));
    },
    'ttl-dead-letter' => function () {
        $channel = openChannel();
        $dead = newQueue($channel);
        $queue = newQueue($channel, ['x-message-ttl' => 100, 'x-dead-letter-exchange' => '',
            'x-dead-letter-routing-key' => $dead->getName()]);
        put($queue, 'late');
        same('reason', fetch($dead)->getHeader('x-death')[0]['reason'], 'expired');
    },
]);
