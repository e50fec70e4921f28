<?php

// What the PHP interop programs share.

declare(strict_types=1);

const WAIT_SECONDS = 5;

function amqpHost(): string
{
    return getenv('AMQP_HOST') ?: '127.0.0.1';
}

function amqpPort(): int
{
    return (int) (getenv('AMQP_PORT') ?: 5672);
}

function unique(string $kind): string
{
    return "interop-$kind-" . bin2hex(random_bytes(6));
}

function same(string $what, $got, $wanted): void
{
    if ($got !== $wanted) {
        throw new RuntimeException(sprintf(
            '%s: got %.200s, wanted %.200s',
            $what,
            var_export($got, true),
            var_export($wanted, true)
        ));
    }
}

function eventually(string $what, callable $attempt)
{
    $end = microtime(true) + WAIT_SECONDS;
    do {
        $found = $attempt();
        if ($found !== null && $found !== false) {
            return $found;
        }
        usleep(20000);
    } while (microtime(true) < $end);
    throw new RuntimeException("$what: not within " . WAIT_SECONDS . ' s');
}

/** Runs the checks, named for what they check, and ends the program. */
function runChecks(string $version, array $checks): void
{
    echo "version $version\n";
    $failures = 0;
    foreach ($checks as $name => $check) {
        if ($name === 'ttl-dead-letter' && getenv('LEVERET_QUEUE_FEATURES') !== '1') {
            continue;
        }
        try {
            $check();
            echo "ok $name\n";
        } catch (Throwable $error) {
            $failures++;
            $text = get_class($error) . ': ' . $error->getMessage();
            echo "FAILED $name: ", str_replace("\n", ' ', $text), "\n";
        }
    }
    exit($failures === 0 ? 0 : 1);
}
