// Interop checks with amqplib.

'use strict';

const assert = require('node:assert/strict');
const crypto = require('node:crypto');
const amqplib = require('amqplib');

const host = process.env.AMQP_HOST || '127.0.0.1';
const port = process.env.AMQP_PORT || '5672';
const WAIT_MS = 5000;

const unique = (kind) => `interop-${kind}-${crypto.randomUUID()}`;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function connect(heartbeat = 0) {
  return amqplib.connect(`amqp://guest:guest@${host}:${port}/?heartbeat=${heartbeat}`);
}

async function eventually(what, attempt) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(20)) {
    const found = await attempt();
    if (found) return found;
  }
  throw new Error(`${what}: not within ${WAIT_MS} ms`);
}

async function open(connection, confirming = false) {
  const channel = await (confirming ? connection.createConfirmChannel()
    : connection.createChannel());
  // Without a listener an error event ends the program; calls reject all the same.
  channel.on('error', () => {});
  return channel;
}

async function newQueue(channel, options = {}) {
  return (await channel.assertQueue('', { exclusive: true, ...options })).queue;
}

async function newExchange(channel, type) {
  const name = unique(type);
  await channel.assertExchange(name, type, { durable: false, autoDelete: true });
  return name;
}

function fetch(channel, queue, options = { noAck: true }) {
  return eventually(`message in ${queue}`, () => channel.get(queue, options));
}

async function bodies(channel, queue) {
  const found = [];
  for (let message; (message = await channel.get(queue, { noAck: true }));) {
    found.push(message.content.toString());
  }
  return found;
}

const count = async (channel, queue) => (await channel.checkQueue(queue)).messageCount;

const checks = {
  async get(connection) {
    const channel = await open(connection);
    const queue = await newQueue(channel);
    const exchange = await newExchange(channel, 'direct');
    await channel.bindQueue(queue, exchange, 'key');
    channel.publish(exchange, 'key', Buffer.from('one'));
    channel.publish(exchange, 'key', Buffer.from('two'));
    const message = await fetch(channel, queue, {});
    assert.equal(message.content.toString(), 'one');
    assert.equal(message.fields.exchange, exchange);
    assert.equal(message.fields.messageCount, 1);
    channel.ack(message);
    assert.deepEqual(await bodies(channel, queue), ['two']);
  },

  async 'consume-ack'(connection) {
    const channel = await open(connection);
    const queue = await newQueue(channel);
    const got = [];
    for (let i = 0; i < 10; i++) channel.sendToQueue(queue, Buffer.from(String(i)));
    const { consumerTag } = await channel.consume(queue, (message) => {
      got.push(message.content.toString());
      channel.ack(message);
    });
    await eventually('deliveries', () => got.length === 10);
    await channel.cancel(consumerTag);
    assert.deepEqual(got, [...'0123456789']);
    assert.equal(await count(channel, queue), 0);
  },

  async 'nack-requeue'(connection) {
    const channel = await open(connection);
    const queue = await newQueue(channel);
    channel.sendToQueue(queue, Buffer.from('again'));
    let message = await fetch(channel, queue, {});
    assert.equal(message.fields.redelivered, false);
    channel.nack(message, false, true);
    message = await fetch(channel, queue);
    assert.equal(message.fields.redelivered, true);
    assert.equal(message.content.toString(), 'again');
  },

  async reject(connection) {
    const channel = await open(connection);
    const queue = await newQueue(channel);
    channel.sendToQueue(queue, Buffer.from('unwanted'));
    channel.reject(await fetch(channel, queue, {}), false);
    assert.deepEqual(await bodies(channel, queue), []);
  },

  async prefetch(connection) {
    const channel = await open(connection);
    const queue = await newQueue(channel);
    const got = [];
    for (let i = 0; i < 5; i++) channel.sendToQueue(queue, Buffer.from('x'));
    await channel.prefetch(2);
    await channel.consume(queue, (message) => got.push(message));
    for (const wanted of [2, 3]) {
      await eventually('deliveries', () => got.length >= wanted);
      await sleep(300);
      assert.equal(got.length, wanted);
      channel.ack(got[wanted - 2]);
    }
  },

  async confirms(connection) {
    const channel = await open(connection, true);
    const queue = unique('durable');
    await channel.assertQueue(queue, { durable: true });
    try {
      for (let i = 0; i < 100; i++) {
        channel.sendToQueue(queue, Buffer.from('x'), { persistent: true });
      }
      await channel.waitForConfirms();
      assert.equal(await count(channel, queue), 100);
    } finally {
      await channel.deleteQueue(queue);
    }
  },

  async 'mandatory-return'(connection) {
    const channel = await open(connection, true);
    const events = [];
    channel.on('return', ({ fields, content }) => {
      events.push(`${fields.replyCode} ${fields.replyText} ${content}`);
    });
    channel.publish('', unique('nowhere'), Buffer.from('back'), { mandatory: true },
      (error) => events.push(error ? 'nack' : 'ack'));
    await eventually('both', () => events.length === 2);
    assert.deepEqual(events, ['312 NO_ROUTE back', 'ack']);
  },

  async topic(connection) {
    const channel = await open(connection);
    const exchange = await newExchange(channel, 'topic');
    const [star, rest] = [await newQueue(channel), await newQueue(channel)];
    await channel.bindQueue(star, exchange, '*.b.*');
    await channel.bindQueue(rest, exchange, 'a.#');
    for (const key of ['a.b.c', 'a', 'b.b', 'b.b.b']) {
      channel.publish(exchange, key, Buffer.from(key));
    }
    assert.deepEqual(await bodies(channel, star), ['a.b.c', 'b.b.b']);
    assert.deepEqual(await bodies(channel, rest), ['a.b.c', 'a']);
  },

  async headers(connection) {
    const channel = await open(connection);
    const exchange = await newExchange(channel, 'headers');
    const [both, either] = [await newQueue(channel), await newQueue(channel)];
    const fields = { colour: 'red', size: 3 };
    await channel.bindQueue(both, exchange, '', { 'x-match': 'all', ...fields });
    await channel.bindQueue(either, exchange, '', { 'x-match': 'any', ...fields });
    for (const [body, headers] of [['both', fields], ['one', { size: 3 }], ['none', {}]]) {
      channel.publish(exchange, '', Buffer.from(body), { headers });
    }
    assert.deepEqual(await bodies(channel, both), ['both']);
    assert.deepEqual(await bodies(channel, either), ['both', 'one']);
  },

  async fanout(connection) {
    const channel = await open(connection);
    const exchange = await newExchange(channel, 'fanout');
    const queues = [];
    for (let i = 0; i < 3; i++) {
      queues.push(await newQueue(channel));
      await channel.bindQueue(queues[i], exchange, '');
    }
    channel.publish(exchange, 'ignored', Buffer.from('all'));
    for (const queue of queues) assert.deepEqual(await bodies(channel, queue), ['all']);
  },

  async 'exchange-to-exchange'(connection) {
    const channel = await open(connection);
    const source = await newExchange(channel, 'direct');
    const target = await newExchange(channel, 'fanout');
    const queue = await newQueue(channel);
    await channel.bindQueue(queue, target, '');
    await channel.bindExchange(target, source, 'go');
    channel.publish(source, 'go', Buffer.from('yes'));
    channel.publish(source, 'stop', Buffer.from('no'));
    assert.deepEqual(await bodies(channel, queue), ['yes']);
    await channel.unbindExchange(target, source, 'go');
  },

  async 'passive-missing'(connection) {
    const channel = await open(connection);
    await assert.rejects(channel.checkQueue(unique('missing')), { code: 404 });
    await newQueue(await open(connection));
  },

  async 'direct-reply-to'(connection) {
    const client = await open(connection);
    const server = await open(connection);
    const queue = await newQueue(server);
    const replies = [];
    await client.consume('amq.rabbitmq.reply-to', (reply) => replies.push(reply), { noAck: true });
    client.sendToQueue(queue, Buffer.from('question'),
      { replyTo: 'amq.rabbitmq.reply-to', correlationId: '7' });
    const request = await fetch(server, queue);
    server.sendToQueue(request.properties.replyTo, Buffer.from('answer'),
      { correlationId: request.properties.correlationId });
    await eventually('reply', () => replies.length === 1);
    assert.equal(replies[0].content.toString(), 'answer');
    assert.equal(replies[0].properties.correlationId, '7');
  },

  async 'big-body'(connection) {
    const channel = await open(connection);
    const queue = await newQueue(channel);
    const body = crypto.randomBytes(3 << 20);
    channel.sendToQueue(queue, body);
    assert.ok((await fetch(channel, queue)).content.equals(body));
  },

  async 'empty-body'(connection) {
    const channel = await open(connection);
    const queue = await newQueue(channel);
    channel.sendToQueue(queue, Buffer.alloc(0), { contentType: 'text/plain' });
    const message = await fetch(channel, queue);
    assert.equal(message.content.length, 0);
    assert.equal(message.properties.contentType, 'text/plain');
  },

  async 'header-types'(connection) {
    const headers = {
      text: 'grüße',
      yes: true,
      no: false,
      small: -5,
      large: 2 ** 40,
      float: 2.5,
      none: null,
      bytes: Buffer.from([0, 1, 255]),
      list: [1, 'two', [3]],
      table: { inner: { deep: 1 } },
    };
    const sent = {
      contentType: 'application/json',
      contentEncoding: 'utf-8',
      deliveryMode: 1,
      priority: 4,
      correlationId: 'c',
      replyTo: 'r',
      expiration: '60000',
      messageId: 'm',
      timestamp: 1700000000,
      type: 't',
      userId: 'guest',
      appId: 'a',
    };
    const channel = await open(connection);
    const queue = await newQueue(channel);
    channel.sendToQueue(queue, Buffer.from('x'), { headers, ...sent });
    const { properties } = await fetch(channel, queue);
    assert.deepEqual({ ...properties.headers }, headers);
    for (const [key, value] of Object.entries(sent)) assert.equal(properties[key], value, key);
  },

  async 'consumer-cancel'(connection) {
    const channel = await open(connection);
    const queue = await newQueue(channel);
    const got = [];
    await channel.consume(queue, (message) => got.push(message));
    await (await open(connection)).deleteQueue(queue);
    // A cancelled consumer is called with null.
    await eventually('cancel', () => got.length === 1);
    assert.equal(got[0], null);
    await newQueue(channel);
  },

  async 'two-channels'(connection) {
    const [first, second] = [await open(connection), await open(connection)];
    const queue = await newQueue(first);
    for (let i = 0; i < 50; i++) (i % 2 ? first : second).sendToQueue(queue, Buffer.from('x'));
    await eventually('all messages', async () => (await count(first, queue)) === 50);
    const [mine, theirs] = [await first.get(queue), await second.get(queue)];
    assert.equal(mine.fields.deliveryTag, 1);
    assert.equal(theirs.fields.deliveryTag, 1);
    second.ack(theirs);
    await first.close();
    await eventually('requeued on close', async () => (await count(second, queue)) === 49);
  },

  async heartbeat() {
    const connection = await connect(2);
    await sleep(5500);
    await newQueue(await open(connection));
    await connection.close();
  },

  async 'ttl-dead-letter'(connection) {
    const channel = await open(connection);
    const dead = await newQueue(channel);
    const queue = await newQueue(channel,
      { messageTtl: 100, deadLetterExchange: '', deadLetterRoutingKey: dead });
    channel.sendToQueue(queue, Buffer.from('late'));
    const [death] = (await fetch(channel, dead)).properties.headers['x-death'];
    assert.deepEqual([death.reason, death.queue, death.count], ['expired', queue, 1]);
  },
};

async function attempt(check) {
  const connection = await connect();
  connection.on('error', () => {});
  try {
    await check(connection);
  } finally {
    await connection.close().catch(() => {});
  }
}

async function main() {
  console.log(`version ${require('./package.json').dependencies.amqplib}`);
  for (const [name, check] of Object.entries(checks)) {
    if (name === 'ttl-dead-letter' && process.env.LEVERET_QUEUE_FEATURES !== '1') continue;
    try {
      await attempt(check);
      console.log(`ok ${name}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAILED ${name}: ${String(error).replaceAll('\n', ' ')}`);
    }
  }
}

main();
