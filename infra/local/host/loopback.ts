/** The names and addresses of this machine, and servers that listen on loopback only. */
import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { CannotStart, getErrorCode } from './cannot-start.ts';

/** The host in URLs for people: passkeys require a name and do not work with an IP address. */
export const LOCALHOST = 'localhost';
/** The address for programs: the embedded engines, and presigned URLs of the embedded S3. */
export const LOOPBACK = '127.0.0.1';
const LOOPBACK_IPV6 = '::1';

/** The names and addresses of this machine, as they appear in URLs. */
export const LOOPBACK_HOSTS: readonly string[] = [LOCALHOST, LOOPBACK, `[${LOOPBACK_IPV6}]`];

/** Longer than clients keep idle connections, so that the client closes first, and no request hits a closed socket. */
const KEEP_ALIVE_MILLISECONDS = 75_000;

export const CLOSE_GRACE_MILLISECONDS = 2_000;

/** Listens on one address. Port 0 chooses a free port. Throws `CannotStart` if the port is taken or not permitted. */
export async function bind(server: Server, port: number, address = LOOPBACK): Promise<void> {
  if (server instanceof HttpServer) server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  server.listen(port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (getErrorCode(error) === 'EADDRINUSE')
      throw new CannotStart(
        `Port ${port} is taken by another process. Stop that process, or choose another port, for example PORT=${port < LAST_PORT ? port + 1 : port - 1}`,
      );
    if (getErrorCode(error) === 'EACCES')
      throw new CannotStart(
        `This user may not listen on port ${port}. Choose another port above 1023, for example PORT=4000`,
      );
    throw error;
  }
}

const LAST_PORT = 65_535;

const NO_IPV6: readonly unknown[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];
const PORTS_TRIED = 20;

/** `localhost` may resolve to 127.0.0.1 or ::1. Skips ::1 without IPv6. Throws `CannotStart` if a port is taken. */
export async function bindBoth<S extends Server>(create: () => S, port: number): Promise<readonly [S, ...S[]]> {
  for (let attempt = 1; ; attempt += 1) {
    const ipv4 = create();
    await bind(ipv4, port);
    const ipv6 = create();
    try {
      await bind(ipv6, getPort(ipv4), LOOPBACK_IPV6);
      return [ipv4, ipv6];
    } catch (error) {
      if (NO_IPV6.includes(getErrorCode(error))) return [ipv4];
      ipv4.close();
      // The port that the system chose is taken on ::1. The next attempt gets another port.
      if (port !== 0 || attempt === PORTS_TRIED || !(error instanceof CannotStart)) throw error;
    }
  }
}

export function getPort(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('The server does not listen on TCP');
}

export async function closeServer(server: HttpServer): Promise<void> {
  const closePromise = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MILLISECONDS);
  await closePromise;
  clearTimeout(timer);
}
