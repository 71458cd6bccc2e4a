/** Hostile receivers in a separate process, which prints its port and then misbehaves depending on the path. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

type Reply = (response: ServerResponse, request: IncomingMessage) => unknown;

const PIECE = Buffer.alloc(64 * 1024, 'x');
const DRIP_MILLISECONDS = 400;

let poured = 0;

function pour(response: ServerResponse, bytes: number): void {
  let left = bytes;
  const more = () => {
    while (left > 0) {
      left -= PIECE.length;
      poured += PIECE.length;
      if (!response.write(PIECE)) return response.once('drain', more);
    }
    return response.end();
  };
  more();
}

function drip(response: ServerResponse, write: () => unknown): void {
  const dripping = setInterval(write, DRIP_MILLISECONDS);
  response.socket?.on('close', () => clearInterval(dripping));
}

/** A response of half a megabyte that decompresses to half a gigabyte. */
let bomb: Buffer | undefined;
const bombOf = (): Buffer => {
  bomb ??= gzipSync(Buffer.alloc(512 * 1024 * 1024));
  return bomb;
};

const REPLIES: Readonly<Record<string, Reply>> = {
  '/good': (response) => response.end('good'),
  '/huge': (response) => pour(response, 500 * 1024 * 1024),
  '/poured': (response) => response.end(String(poured)),
  '/bomb': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bombOf()),
  '/drip-body': (response) => {
    response.writeHead(200);
    drip(response, () => response.write('x'));
  },
  '/drip-headers': (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n');
    drip(response, () => response.socket?.write('X-A: a\r\n'));
  },
  '/informs': (response) => drip(response, () => response.writeProcessing()),
  '/silence': () => undefined,
  '/reset': (response) => response.socket?.resetAndDestroy(),
  '/half': (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.socket?.destroy());
  },
  '/loop': (response) => response.writeHead(307, { location: '/loop' }).end(),
  '/away': (response) => response.writeHead(302, { location: '/good?led' }).end(),
  '/headers': (response) => response.writeHead(200, { 'x-a': 'a'.repeat(64 * 1024) }).end(),
  '/nonsense': (response) => response.socket?.end('220 mail.example ESMTP\r\n'),
  '/upgrade': (response) =>
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  '/controls': (response) => response.writeHead(500).end('\u001b[31mred\u0000\u202e\r\n\tend'),
  '/long': (response) => response.writeHead(500).end(`${'a'.repeat(1023)}é and more`),
};

let requests = 0;

const server = createServer((request, response) => {
  requests += 1;
  if (request.url === '/requests') {
    response.end(String(requests - 1));
    return;
  }
  request.resume();
  REPLIES[request.url ?? '']?.(response, request);
});
server.listen(0, '127.0.0.1', () => {
  bombOf();
  const address = server.address();
  if (typeof address === 'object') console.log(address?.port);
});
