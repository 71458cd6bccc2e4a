/** A proxy in front of the table that delays, throttles or cancels requests as DynamoDB does. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { bind, closeServer, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';

const THROTTLED = JSON.stringify({
  __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  message: 'The level of configured provisioned throughput for the table was exceeded',
});

const DENIED = JSON.stringify({
  __type: 'com.amazonaws.dynamodb.v20120810#AccessDeniedException',
  Message: 'User is not authorized to perform this action',
});

const IN_PROGRESS = JSON.stringify({
  __type: 'com.amazonaws.dynamodb.v20120810#TransactionInProgressException',
  Message: 'Transaction with the given client request token is already in progress',
});

const cancellation = (codes: readonly string[]) =>
  JSON.stringify({
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

export interface ThrottledTable {
  readonly endpoint: string;
  /** Sets the percentage of throttled requests. */
  readonly throttle: (percent: number) => void;
  readonly turnedAway: () => number;
  /** Cancels the next transactions. `codes` has the cancellation reason of each item. */
  readonly cancelNext: (transactions: number, codes: readonly string[]) => void;
  /** Answers the next transactions with `TransactionInProgressException`. */
  readonly inProgressNext: (transactions: number) => void;
  /** Leaves the next requests without an answer. */
  readonly hangNext: (requests: number) => void;
  /** Denies the requests whose body contains the text, as if the role lacked the permission. Without a text, none. */
  readonly deny: (text: string | undefined) => void;
  /** Sets the added delay per response. */
  readonly slow: (milliseconds: number) => void;
  readonly close: () => Promise<void>;
}

export async function throttledTable(target: string): Promise<ThrottledTable> {
  let percent = 0;
  let arrived = 0;
  let turnedAway = 0;
  let delayMilliseconds = 0;
  let hanging = 0;
  let deniedText: string | undefined;
  let refused = { left: 0, body: '' };
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    arrived += 1;
    await wait(delayMilliseconds);
    if (hanging > 0) {
      hanging -= 1;
      turnedAway += 1;
      return;
    }
    if (refused.left > 0 && String(request.headers['x-amz-target']).endsWith('.TransactWriteItems')) {
      refused.left -= 1;
      turnedAway += 1;
      return answer(response, 400, refused.body);
    }
    if (deniedText !== undefined && body.includes(deniedText)) {
      turnedAway += 1;
      return answer(response, 400, DENIED);
    }
    // 61 and 100 are coprime, so throttled requests are spread evenly at the exact percentage.
    if ((arrived * 61) % 100 < percent) {
      turnedAway += 1;
      return answer(response, 400, THROTTLED);
    }
    const received = await fetch(target, { method: 'POST', headers: signedHeaders(request), body });
    answer(response, received.status, await received.text());
  });
  await bind(server, 0);
  return {
    endpoint: `http://${LOOPBACK}:${getPort(server)}`,
    throttle: (share) => {
      percent = share;
    },
    cancelNext: (left, codes) => {
      refused = { left, body: cancellation(codes) };
    },
    inProgressNext: (left) => {
      refused = { left, body: IN_PROGRESS };
    },
    hangNext: (requests) => {
      hanging = requests;
    },
    deny: (text) => {
      deniedText = text;
    },
    turnedAway: () => turnedAway,
    slow: (milliseconds) => {
      delayMilliseconds = milliseconds;
    },
    close: () => closeServer(server),
  };
}

function answer(response: ServerResponse, status: number, body: string): void {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const signedHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(authorization|content-type|x-amz-.*)$/.test(name) ? [[name, String(value)]] : [],
    ),
  );
