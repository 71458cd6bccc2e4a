/** Invokes deployed functions, or makes them fail temporarily. */
import assert from 'node:assert/strict';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { Emulator } from './emulator.ts';

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly input?: object;
}

const lambda = (emulator: Emulator, { method, path, input }: Call): Promise<Response> =>
  signedCall(emulator, { service: 'lambda', method, path, body: input && JSON.stringify(input) });

interface SignedCall {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function signedCall({ endpoint, environment }: Emulator, call: SignedCall): Promise<Response> {
  const { service, method, path, body, headers: own = {} } = call;
  const { AWS_REGION: region = '', AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY = '' } = environment;
  const credentials = { accessKeyId, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const { hostname, host, protocol } = new URL(endpoint);
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  const request = new HttpRequest({ method, hostname, protocol, path, body, headers: { ...own, host } });
  const { headers } = await signer.sign(request);
  return fetch(`${endpoint}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}

export async function invoke(emulator: Emulator, name: string, input: object): Promise<string> {
  const path = `/2015-03-31/functions/${name}/invocations`;
  const response = await lambda(emulator, { method: 'POST', path, input });
  const answer = await response.text();
  assert.equal(response.headers.get('x-amz-function-error'), null, `${name}: ${answer}`);
  assert.equal(response.status, 200, `${name}: ${answer}`);
  return answer;
}

const Configuration = z.object({ Environment: z.object({ Variables: z.record(z.string(), z.string()) }) });

/** Makes the function use a table that does not exist. Returns a function that undoes this change. */
export async function brokenFunction(emulator: Emulator, name: string): Promise<() => Promise<void>> {
  const path = `/2015-03-31/functions/${name}/configuration`;
  const read = await lambda(emulator, { method: 'GET', path });
  const { Variables } = Configuration.parse(await read.json()).Environment;
  const configure = async (variables: Record<string, string>): Promise<void> => {
    const input = { Environment: { Variables: variables } };
    const response = await lambda(emulator, { method: 'PUT', path, input });
    assert.equal(response.status, 200, `${name}: ${await response.text()}`);
  };
  await configure({ ...Variables, [ENVIRONMENT.tableName]: 'no-such-table' });
  return () => configure(Variables);
}
