/**
 * An application that publishes its metadata document over TLS at `receiver.example`, which resolves to this machine.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished, vi } from 'vitest';
import { REDIRECT_URI } from '#test/harness/own-issuer.ts';

const TLS = join(import.meta.dirname, '../samples/tls');
const NAME = 'receiver.example';

export interface ClientHost {
  /** The address of the metadata document, which is also the client id. */
  readonly clientId: string;
  document: Record<string, unknown>;
  /** Additional response headers. */
  headers: Record<string, string>;
  /** Whether the host drops each connection. */
  isDown: boolean;
  /** Returns how many requests the host has received, including those that it dropped. */
  readonly reads: () => number;
}

/**
 * Starts the host. The functions of the service run in this process, so changing the DNS lookup and the trusted
 * certificates of this process lets them reach the host.
 */
export async function clientHost(): Promise<ClientHost> {
  const [key, cert] = await Promise.all(
    ['key.pem', 'certificate.pem'].map((name) => readFile(join(TLS, name), 'utf8')),
  );
  let reads = 0;
  const server = createServer({ key, cert }, (_request, response) => {
    reads += 1;
    if (host.isDown) return void response.destroy();
    for (const [name, value] of Object.entries(host.headers)) response.setHeader(name, value);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(host.document));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const clientId = `https://${NAME}:${portOf(server.address())}/client.json`;
  const host: ClientHost = {
    clientId,
    document: { client_id: clientId, client_name: 'Editor', redirect_uris: [REDIRECT_URI] },
    headers: {},
    isDown: false,
    reads: () => reads,
  };
  trust(cert ?? '');
  resolveHere();
  return host;
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

function trust(certificate: string): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate]);
  onTestFinished(() => setDefaultCACertificates(before));
}

function resolveHere(): void {
  const dns: typeof import('node:dns') = createRequire(import.meta.url)('node:dns');
  const real = dns.lookup;
  const fake = (name: string, ...rest: readonly unknown[]) =>
    Reflect.apply(real, dns, [name === NAME ? '127.0.0.1' : name, ...rest]);
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(fake as never);
  onTestFinished(() => spy.mockRestore());
}
