// Interop checks with amqp091-go, RabbitMQ's Go client.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

const wait = 5 * time.Second

var (
	host    = setting("AMQP_HOST", "127.0.0.1")
	port    = setting("AMQP_PORT", "5672")
	counter = 0
)

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// Checks fail by panicking; main turns that into a line.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func same(what string, got, wanted interface{}) {
	if !reflect.DeepEqual(got, wanted) {
		panic(fmt.Errorf("%s: got %.200v, wanted %.200v", what, got, wanted))
	}
}

func eventually(what string, attempt func() bool) {
	for end := time.Now().Add(wait); !attempt(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			panic(fmt.Errorf("%s: not within %v", what, wait))
		}
	}
}

func unique(kind string) string {
	counter++
	return fmt.Sprintf("interop-go-%s-%d-%d", kind, os.Getpid(), counter)
}

func connect(heartbeat time.Duration) *amqp.Connection {
	connection, err := amqp.DialConfig(fmt.Sprintf("amqp://guest:guest@%s:%s/", host, port),
		amqp.Config{Heartbeat: heartbeat, Locale: "en_US"})
	must(err)
	return connection
}

func open(connection *amqp.Connection) *amqp.Channel {
	channel, err := connection.Channel()
	must(err)
	return channel
}

func newQueue(channel *amqp.Channel, arguments amqp.Table) string {
	queue, err := channel.QueueDeclare("", false, false, true, false, arguments)
	must(err)
	return queue.Name
}

func newExchange(channel *amqp.Channel, kind string) string {
	name := unique(kind)
	must(channel.ExchangeDeclare(name, kind, false, true, false, false, nil))
	return name
}

func bind(channel *amqp.Channel, queue, exchange, key string, arguments amqp.Table) {
	must(channel.QueueBind(queue, key, exchange, false, arguments))
}

func publish(channel *amqp.Channel, exchange, key string, message amqp.Publishing) {
	must(channel.Publish(exchange, key, false, false, message))
}

func body(text string) amqp.Publishing { return amqp.Publishing{Body: []byte(text)} }

func fetch(channel *amqp.Channel, queue string, noAck bool) (message amqp.Delivery) {
	eventually("message in "+queue, func() bool {
		got, found, err := channel.Get(queue, noAck)
		must(err)
		message = got
		return found
	})
	return message
}

func bodies(channel *amqp.Channel, queue string) string {
	var all []string
	for {
		message, found, err := channel.Get(queue, true)
		must(err)
		if !found {
			return strings.Join(all, ",")
		}
		all = append(all, string(message.Body))
	}
}

func count(channel *amqp.Channel, queue string) int {
	state, err := channel.QueueInspect(queue)
	must(err)
	return state.Messages
}

func consume(channel *amqp.Channel, queue string, noAck bool) <-chan amqp.Delivery {
	deliveries, err := channel.Consume(queue, "tag", noAck, false, false, false, nil)
	must(err)
	return deliveries
}

func next(deliveries <-chan amqp.Delivery) amqp.Delivery {
	select {
	case delivery, open := <-deliveries:
		if !open {
			panic(errors.New("no more deliveries"))
		}
		return delivery
	case <-time.After(wait):
		panic(errors.New("no delivery"))
	}
}

func none(deliveries <-chan amqp.Delivery) {
	select {
	case delivery := <-deliveries:
		panic(fmt.Errorf("one delivery too many: %s", delivery.Body))
	case <-time.After(300 * time.Millisecond):
	}
}

func get(connection *amqp.Connection) {
	channel := open(connection)
	queue, exchange := newQueue(channel, nil), newExchange(channel, "direct")
	bind(channel, queue, exchange, "key", nil)
	publish(channel, exchange, "key", body("one"))
	publish(channel, exchange, "key", body("two"))
	message := fetch(channel, queue, false)
	same("body", string(message.Body), "one")
	same("exchange", message.Exchange, exchange)
	same("still ready", message.MessageCount, uint32(1))
	must(message.Ack(false))
	same("rest", bodies(channel, queue), "two")
}

func consumeAck(connection *amqp.Connection) {
	channel := open(connection)
	queue := newQueue(channel, nil)
	for i := 0; i < 10; i++ {
		publish(channel, "", queue, body(fmt.Sprint(i)))
	}
	deliveries := consume(channel, queue, false)
	for i := 0; i < 10; i++ {
		delivery := next(deliveries)
		same("body", string(delivery.Body), fmt.Sprint(i))
		if i%5 == 4 {
			must(delivery.Ack(true))
		}
	}
	must(channel.Cancel("tag", false))
	same("left", count(channel, queue), 0)
}

func nackRequeue(connection *amqp.Connection) {
	channel := open(connection)
	queue := newQueue(channel, nil)
	publish(channel, "", queue, body("again"))
	message := fetch(channel, queue, false)
	same("redelivered at first", message.Redelivered, false)
	must(message.Nack(false, true))
	message = fetch(channel, queue, true)
	same("redelivered", message.Redelivered, true)
	same("body", string(message.Body), "again")
}

func reject(connection *amqp.Connection) {
	channel := open(connection)
	queue := newQueue(channel, nil)
	publish(channel, "", queue, body("unwanted"))
	must(fetch(channel, queue, false).Reject(false))
	same("left", bodies(channel, queue), "")
}

func prefetch(connection *amqp.Connection) {
	channel := open(connection)
	queue := newQueue(channel, nil)
	for i := 0; i < 5; i++ {
		publish(channel, "", queue, body("x"))
	}
	must(channel.Qos(2, 0, false))
	deliveries := consume(channel, queue, false)
	first := next(deliveries)
	next(deliveries)
	none(deliveries)
	must(first.Ack(false))
	same("tag", next(deliveries).DeliveryTag, uint64(3))
	none(deliveries)
}

func confirms(connection *amqp.Connection) {
	channel := open(connection)
	queue := unique("durable")
	_, err := channel.QueueDeclare(queue, true, false, false, false, nil)
	must(err)
	defer channel.QueueDelete(queue, false, false, false)
	must(channel.Confirm(false))
	acks := channel.NotifyPublish(make(chan amqp.Confirmation, 100))
	for i := 0; i < 100; i++ {
		publish(channel, "", queue, amqp.Publishing{DeliveryMode: amqp.Persistent})
	}
	// The client puts them back into publishing order.
	for i := 1; i <= 100; i++ {
		select {
		case ack := <-acks:
			same("confirmation", ack, amqp.Confirmation{DeliveryTag: uint64(i), Ack: true})
		case <-time.After(wait):
			panic(fmt.Errorf("message %d not confirmed", i))
		}
	}
	same("stored", count(channel, queue), 100)
}

func mandatoryReturn(connection *amqp.Connection) {
	channel := open(connection)
	must(channel.Confirm(false))
	order := make(chan string, 2)
	returns := channel.NotifyReturn(make(chan amqp.Return))
	acks := channel.NotifyPublish(make(chan amqp.Confirmation))
	go func() {
		for {
			select {
			case message, open := <-returns:
				if !open {
					return
				}
				order <- fmt.Sprintf("%d %s %s", message.ReplyCode, message.ReplyText, message.Body)
			case ack, open := <-acks:
				if !open {
					return
				}
				order <- fmt.Sprint("ack ", ack.Ack)
			}
		}
	}()
	must(channel.Publish("", unique("nowhere"), true, false, body("back")))
	for _, wanted := range []string{"312 NO_ROUTE back", "ack true"} {
		select {
		case got := <-order:
			same("event", got, wanted)
		case <-time.After(wait):
			panic(errors.New("nothing more after the publish"))
		}
	}
}

func topic(connection *amqp.Connection) {
	channel := open(connection)
	exchange := newExchange(channel, "topic")
	star, rest := newQueue(channel, nil), newQueue(channel, nil)
	bind(channel, star, exchange, "a.*.c", nil)
	bind(channel, rest, exchange, "a.#.c", nil)
	for _, key := range []string{"a.b.c", "a.c", "a.b.b.c", "a.b"} {
		publish(channel, exchange, key, body(key))
	}
	same("a.*.c", bodies(channel, star), "a.b.c")
	same("a.#.c", bodies(channel, rest), "a.b.c,a.c,a.b.b.c")
}

func headers(connection *amqp.Connection) {
	channel := open(connection)
	exchange := newExchange(channel, "headers")
	both, either := newQueue(channel, nil), newQueue(channel, nil)
	fields := amqp.Table{"colour": "red", "size": int32(3)}
	for queue, match := range map[string]string{both: "all", either: "any"} {
		bind(channel, queue, exchange, "",
			amqp.Table{"colour": "red", "size": int32(3), "x-match": match})
	}
	publish(channel, exchange, "", amqp.Publishing{Headers: fields, Body: []byte("both")})
	publish(channel, exchange, "",
		amqp.Publishing{Headers: amqp.Table{"size": int32(3)}, Body: []byte("one")})
	publish(channel, exchange, "", body("none"))
	same("all", bodies(channel, both), "both")
	same("any", bodies(channel, either), "both,one")
}

func fanout(connection *amqp.Connection) {
	channel := open(connection)
	exchange := newExchange(channel, "fanout")
	queues := []string{newQueue(channel, nil), newQueue(channel, nil), newQueue(channel, nil)}
	for _, queue := range queues {
		bind(channel, queue, exchange, "", nil)
	}
	publish(channel, exchange, "ignored", body("all"))
	for _, queue := range queues {
		same(queue, bodies(channel, queue), "all")
	}
}

func exchangeToExchange(connection *amqp.Connection) {
	channel := open(connection)
	source, target := newExchange(channel, "topic"), newExchange(channel, "fanout")
	queue := newQueue(channel, nil)
	bind(channel, queue, target, "", nil)
	must(channel.ExchangeBind(target, "go.*", source, false, nil))
	publish(channel, source, "go.on", body("yes"))
	publish(channel, source, "stop", body("no"))
	same("through both", bodies(channel, queue), "yes")
	must(channel.ExchangeUnbind(target, "go.*", source, false, nil))
}

func passiveMissing(connection *amqp.Connection) {
	_, err := open(connection).QueueDeclarePassive(unique("missing"), false, false, false, false, nil)
	var refused *amqp.Error
	if !errors.As(err, &refused) {
		panic(fmt.Errorf("no AMQP error but %v", err))
	}
	same("code", refused.Code, 404)
	newQueue(open(connection), nil)
}

func tx(connection *amqp.Connection) {
	channel, other := open(connection), open(connection)
	queue := newQueue(channel, nil)
	must(channel.Tx())
	publish(channel, "", queue, body("kept"))
	same("before commit", count(other, queue), 0)
	must(channel.TxCommit())
	same("after commit", count(other, queue), 1)
	publish(channel, "", queue, body("dropped"))
	must(channel.TxRollback())
	same("after rollback", bodies(other, queue), "kept")
}

func directReplyTo(connection *amqp.Connection) {
	client, server := open(connection), open(connection)
	queue := newQueue(server, nil)
	replies := consume(client, "amq.rabbitmq.reply-to", true)
	publish(client, "", queue, amqp.Publishing{ReplyTo: "amq.rabbitmq.reply-to",
		CorrelationId: "7", Body: []byte("question")})
	request := fetch(server, queue, true)
	publish(server, "", request.ReplyTo,
		amqp.Publishing{CorrelationId: request.CorrelationId, Body: []byte("answer")})
	reply := next(replies)
	same("reply", string(reply.Body)+reply.CorrelationId, "answer7")
}

func bigBody(connection *amqp.Connection) {
	channel := open(connection)
	queue := newQueue(channel, nil)
	sent := bytes.Repeat([]byte("0123456789abcde\n"), 3<<16)
	publish(channel, "", queue, amqp.Publishing{Body: sent})
	same("same body", bytes.Equal(fetch(channel, queue, true).Body, sent), true)
}

func emptyBody(connection *amqp.Connection) {
	channel := open(connection)
	queue := newQueue(channel, nil)
	publish(channel, "", queue, amqp.Publishing{ContentType: "text/plain"})
	message := fetch(channel, queue, true)
	same("length", len(message.Body), 0)
	same("content type", message.ContentType, "text/plain")
}

func headerTypes(connection *amqp.Connection) {
	channel := open(connection)
	queue := newQueue(channel, nil)
	now := time.Unix(1700000000, 0)
	sent := amqp.Table{
		"t": true, "B": uint8(200), "b": int8(-8), "s": int16(-1600), "I": int32(-320000),
		"l": int64(-1 << 40), "f": float32(2.5), "d": 0.1, "D": amqp.Decimal{Scale: 2, Value: 314},
		"S": "grüße", "x": []byte{0, 1, 255}, "T": now, "V": nil,
		"A": []interface{}{int32(1), "two"}, "F": amqp.Table{"deep": amqp.Table{"er": int32(1)}},
	}
	message := amqp.Publishing{
		Headers: sent, ContentType: "application/json", ContentEncoding: "utf-8", DeliveryMode: 1,
		Priority: 4, CorrelationId: "c", ReplyTo: "r", Expiration: "60000", MessageId: "m",
		Timestamp: now, Type: "t", UserId: "guest", AppId: "a",
	}
	publish(channel, "", queue, message)
	got := fetch(channel, queue, true)
	same("number of headers", len(got.Headers), len(sent))
	for key, value := range sent {
		same("header "+key, got.Headers[key], value)
	}
	same("properties", amqp.Publishing{
		Headers: sent, ContentType: got.ContentType, ContentEncoding: got.ContentEncoding,
		DeliveryMode: got.DeliveryMode, Priority: got.Priority, CorrelationId: got.CorrelationId,
		ReplyTo: got.ReplyTo, Expiration: got.Expiration, MessageId: got.MessageId,
		Timestamp: got.Timestamp, Type: got.Type, UserId: got.UserId, AppId: got.AppId,
	}, message)
}

func consumerCancel(connection *amqp.Connection) {
	channel, other := open(connection), open(connection)
	queue := newQueue(channel, nil)
	consume(channel, queue, false)
	cancelled := channel.NotifyCancel(make(chan string, 1))
	_, err := other.QueueDelete(queue, false, false, false)
	must(err)
	select {
	case tag := <-cancelled:
		same("tag", tag, "tag")
	case <-time.After(wait):
		panic(errors.New("not told"))
	}
	newQueue(channel, nil)
}

func twoChannels(connection *amqp.Connection) {
	first, second := open(connection), open(connection)
	queue := newQueue(first, nil)
	done := make(chan error, 2)
	for _, channel := range []*amqp.Channel{first, second} {
		go func(channel *amqp.Channel) {
			for i := 0; i < 50; i++ {
				if err := channel.Publish("", queue, false, false, body("x")); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}(channel)
	}
	must(<-done)
	must(<-done)
	eventually("all messages", func() bool { return count(first, queue) == 100 })
	same("first tag", fetch(first, queue, false).DeliveryTag, uint64(1))
	theirs := fetch(second, queue, false)
	same("second tag", theirs.DeliveryTag, uint64(1))
	must(theirs.Ack(false))
	must(first.Close())
	eventually("requeued on close", func() bool { return count(second, queue) == 99 })
}

func heartbeat(*amqp.Connection) {
	connection := connect(2 * time.Second)
	defer connection.Close()
	time.Sleep(5500 * time.Millisecond)
	newQueue(open(connection), nil)
}

func ttlDeadLetter(connection *amqp.Connection) {
	channel := open(connection)
	dead := newQueue(channel, nil)
	queue := newQueue(channel, amqp.Table{"x-message-ttl": int32(100),
		"x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead})
	publish(channel, "", queue, body("late"))
	death := fetch(channel, dead, true).Headers["x-death"].([]interface{})[0].(amqp.Table)
	same("reason", death["reason"], "expired")
	same("count", death["count"], int64(1))
}

// Runs one check on a connection of its own.
func attempt(check func(*amqp.Connection)) (failure interface{}) {
	defer func() { failure = recover() }()
	connection := connect(10 * time.Second)
	defer connection.Close()
	check(connection)
	return nil
}

func main() {
	checks := []struct {
		name  string
		check func(*amqp.Connection)
	}{
		{"get", get}, {"consume-ack", consumeAck}, {"nack-requeue", nackRequeue},
		{"reject", reject}, {"prefetch", prefetch}, {"confirms", confirms},
		{"mandatory-return", mandatoryReturn}, {"topic", topic}, {"headers", headers},
		{"fanout", fanout}, {"exchange-to-exchange", exchangeToExchange},
		{"passive-missing", passiveMissing}, {"tx", tx}, {"direct-reply-to", directReplyTo},
		{"big-body", bigBody}, {"empty-body", emptyBody}, {"header-types", headerTypes},
		{"consumer-cancel", consumerCancel}, {"two-channels", twoChannels},
		{"heartbeat", heartbeat}, {"ttl-dead-letter", ttlDeadLetter},
	}
	exit := 0
	for _, one := range checks {
		if one.name == "ttl-dead-letter" && os.Getenv("LEVERET_QUEUE_FEATURES") != "1" {
			continue
		}
		if failure := attempt(one.check); failure != nil {
			exit = 1
			fmt.Printf("FAILED %s: %v\n", one.name, failure)
		} else {
			fmt.Println("ok", one.name)
		}
	}
	os.Exit(exit)
}
