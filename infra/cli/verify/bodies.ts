/** Compressed and large bodies, in both directions. */
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import type { DeploymentCheck } from './check.ts';
import { type Answered, type CheckedDeployment, jsonIn, shown } from './deployment.ts';
import { must, needed } from './outcome.ts';
import { mustRefuse } from './refusals.ts';

const area = 'Bodies';
const DOCUMENT = '/v1/docs/openapi.json';
const BINARY =
  'Set the binary media types of the API rundown-<env> to */*, without a minimum compression size, and deploy again. A proxy before the API must pass Accept-Encoding and Content-Encoding';
const FIREWALL =
  'A firewall or a proxy before the API limits bodies: with AWS WAF, override the rule SizeRestrictions_BODY of the managed rules to Count';

/**
 * The size of a body that must be accepted. Lambda accepts 6 MB including the base64 encoding. The guide promises 4.5
 * MB.
 */
const FITTING_BYTES = 4_500_000;
/** Sizes of bodies that must be refused: above the limit of Lambda, and above the limit of API Gateway. */
const TOO_LARGE_BYTES = [5_500_000, 10_500_000];

const Signature = z.object({ data: z.object({ signature: z.string() }) });

/** An operation that reads a body and changes nothing. */
const signature = (
  { askAsKey }: CheckedDeployment,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> =>
  askAsKey('POST', '/v1/signature/test', { headers: { 'content-type': 'application/json', ...headers }, body });

const testIn = (projectId: string): string =>
  JSON.stringify({ projectId, specFilePath: 'verify.spec.ts', testTitle: ['verify'] });

const encodingOf = ({ headers }: Answered): string => headers.get('content-encoding') ?? 'no Content-Encoding';
const GZIP = { 'content-encoding': 'gzip' };

export const BODIES: readonly DeploymentCheck[] = [
  {
    area,
    name: 'Answers are compressed for clients that accept gzip, and only for them',
    fix: BINARY,
    run: async ({ ask }) => {
      const plain = await ask('GET', DOCUMENT);
      const compressed = await ask('GET', DOCUMENT, { headers: { 'accept-encoding': 'gzip' } });
      must(plain.status === 200, `${shown(plain)}, expected 200`);
      must(!plain.headers.has('content-encoding'), `${DOCUMENT} has ${encodingOf(plain)} without Accept-Encoding`);
      must(encodingOf(compressed) === 'gzip', `${DOCUMENT} has ${encodingOf(compressed)} with Accept-Encoding: gzip`);
      must(plain.text === compressed.text, `${DOCUMENT} has different content when it is compressed`);
      return undefined;
    },
  },
  {
    area,
    name: 'A compressed body is read like an uncompressed one',
    fix: BINARY,
    run: async (deployment, found) => {
      const body = testIn(needed(found.project, 'project').projectId);
      const plain = jsonIn(Signature, await signature(deployment, body));
      const compressed = jsonIn(Signature, await signature(deployment, gzipSync(body), GZIP));
      must(
        plain.data.signature === compressed.data.signature,
        'The compressed body was read differently from the plain one',
      );
      return undefined;
    },
  },
  {
    area,
    name: 'A body of 4.5 MB is accepted',
    fix: FIREWALL,
    run: async (deployment, found) => {
      const body = testIn(needed(found.project, 'project').projectId).padEnd(FITTING_BYTES);
      jsonIn(Signature, await signature(deployment, body));
      return undefined;
    },
  },
  {
    area,
    name: 'Larger bodies get 413: above 6 MB as base64, above 10 MB, and above 24 MB after decompression',
    fix: 'Status 5xx: read the access log /rundown/<env>/access. No answer: a proxy before the API closes the connection instead of answering 413',
    run: async (deployment, found) => {
      needed(found.project, 'accepted key');
      for (const bytes of TOO_LARGE_BYTES) {
        const answer = await signature(deployment, new Uint8Array(bytes).fill(32));
        must(answer.status === 413, `A body of ${bytes / 1e6} MB: ${shown(answer)}, expected 413`);
        // API Gateway does not allow to customize this response.
        must(
          answer.headers.get('content-type')?.startsWith('application/json') === true,
          `${shown(answer)}, expected JSON`,
        );
      }
      mustRefuse(await signature(deployment, gzipSync(new Uint8Array(2 * BODY_LIMITS.bytes).fill(32)), GZIP), 413);
      return undefined;
    },
  },
];
