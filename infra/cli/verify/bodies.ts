/** Checks that bodies of requests and answers pass the gateway: compressed, large and too large. */

import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import type { DeploymentAnswer } from './answers.ts';
import { describeAnswer, mustReturn, parseAnswerData } from './answers.ts';
import { defineChecks } from './check.ts';
import type { CheckedDeployment } from './deployment.ts';
import { FIREWALL_FIX } from './firewall.ts';
import { must, requireFinding } from './outcome.ts';
import { mustRefuse } from './refusals.ts';

const DOCUMENT = '/v1/docs/openapi.json';
const BINARY =
  'Set the binary media types of the API rundown-<env> to */*, without a minimum compression size, and deploy again. A proxy in front of the API must pass Accept-Encoding and Content-Encoding';

/** Lambda accepts 6 MB including the base64 encoding. functions/README.md promises about 4.5 MB. */
const FITTING_BYTES = 4_500_000;
/** Sizes of bodies that must be refused: above the limit of Lambda, and above the limit of API Gateway. */
const TOO_LARGE_BYTES = [5_500_000, 10_500_000];

const Signature = z.object({ signature: z.string() });

/** Calls an operation that reads a body and changes nothing. */
const requestSignature = (
  { askAsKey }: CheckedDeployment,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<DeploymentAnswer> =>
  askAsKey('POST', '/v1/signature/test', { headers: { 'content-type': 'application/json', ...headers }, body });

const makeTestBody = (projectId: string): string =>
  JSON.stringify({ projectId, specFilePath: 'verify.spec.ts', testTitle: ['verify'] });

const getEncoding = ({ headers }: DeploymentAnswer): string => headers.get('content-encoding') ?? 'no Content-Encoding';
const GZIP = { 'content-encoding': 'gzip' };

export const BODY_CHECKS = defineChecks('Bodies', [
  {
    name: 'Answers are compressed for clients that accept gzip, and only for them',
    fix: BINARY,
    run: async ({ ask }) => {
      const plainAnswer = await ask('GET', DOCUMENT);
      const compressedAnswer = await ask('GET', DOCUMENT, { headers: { 'accept-encoding': 'gzip' } });
      mustReturn(plainAnswer, 200);
      must(
        !plainAnswer.headers.has('content-encoding'),
        `${DOCUMENT} has ${getEncoding(plainAnswer)} without Accept-Encoding`,
      );
      must(
        getEncoding(compressedAnswer) === 'gzip',
        `${DOCUMENT} has ${getEncoding(compressedAnswer)} with Accept-Encoding: gzip`,
      );
      must(plainAnswer.text === compressedAnswer.text, `${DOCUMENT} has different content when it is compressed`);
    },
  },
  {
    name: 'A compressed body is read like an uncompressed one',
    fix: BINARY,
    run: async (deployment, findings) => {
      const body = makeTestBody(requireFinding(findings.project, 'project').projectId);
      const plainResult = parseAnswerData(Signature, await requestSignature(deployment, body));
      const compressedResult = parseAnswerData(Signature, await requestSignature(deployment, gzipSync(body), GZIP));
      must(
        plainResult.signature === compressedResult.signature,
        'The compressed body was read differently from the plain one',
      );
    },
  },
  {
    name: 'A body of 4.5 MB is accepted',
    fix: FIREWALL_FIX,
    run: async (deployment, findings) => {
      const body = makeTestBody(requireFinding(findings.project, 'project').projectId).padEnd(FITTING_BYTES);
      parseAnswerData(Signature, await requestSignature(deployment, body));
    },
  },
  {
    name: 'Larger bodies get 413: above 6 MB as base64, above 10 MB, and above 24 MB after decompression',
    fix: 'Status 5xx: read the access log /rundown/<env>/access. No answer: a proxy in front of the API closes the connection instead of answering 413',
    run: async (deployment, findings) => {
      requireFinding(findings.project, 'accepted key');
      for (const bytes of TOO_LARGE_BYTES) {
        const answer = await requestSignature(deployment, new Uint8Array(bytes).fill(32));
        must(answer.status === 413, `A body of ${bytes / 1e6} MB: ${describeAnswer(answer)}, expected 413`);
        // API Gateway does not allow the body of its 413 to be customized, so only the content type is checked.
        must(
          answer.headers.get('content-type')?.startsWith('application/json') === true,
          `${describeAnswer(answer)}, expected JSON`,
        );
      }
      mustRefuse(
        await requestSignature(deployment, gzipSync(new Uint8Array(2 * BODY_LIMITS.bytes).fill(32)), GZIP),
        413,
      );
    },
  },
]);
