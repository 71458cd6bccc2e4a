/** Checks the error responses of the gateway and of the functions. */

import * as z from 'zod';
import { parseData } from '#infra/local/host/json-files.ts';
import { formatSignInChallenge, PLAIN_CHALLENGE } from '#shared/access/challenge.ts';
import { NO_SUCH_OPERATION_MESSAGE, UNAUTHORIZED_MESSAGE } from '#shared/engine/errors.ts';
import type { DeploymentAnswer } from './answers.ts';
import { describeAnswer, mustReturn } from './answers.ts';
import { defineChecks } from './check.ts';
import type { CheckedDeployment } from './deployment.ts';
import { must, requireFinding, Wrong } from './outcome.ts';

/** §7 The body of the error responses that the checks expect. */
export const RefusalBody = z.strictObject({
  status: z.literal('FAILED'),
  error: z.string().min(1),
  code: z.string().optional(),
});

/** Throws unless the answer is JSON in the form of §7 with this status and, if given, this error. */
export function mustRefuse(answer: DeploymentAnswer, status: number, error?: string): void {
  must(answer.status === status, `${describeAnswer(answer)}, expected ${status}`);
  const type = answer.headers.get('content-type') ?? 'no type';
  must(type.startsWith('application/json'), `${describeAnswer(answer)} (${type}), expected JSON`);
  const data = parseData(RefusalBody, answer.text);
  must(data !== undefined, `${describeAnswer(answer)}, expected {"status":"FAILED","error":"..."}`);
  must(error === undefined || data.error === error, `${describeAnswer(answer)}, expected "${error}"`);
}

const suggestGatewayFix = (...types: readonly string[]): string =>
  `In API Gateway, compare the gateway responses of the API rundown-<env> (${types.join(', ')}) with infra/constructs/gateway-responses.ts, and deploy again. ` +
  'If the answer comes from a firewall (webAcl) or a proxy in front of the API, let it pass the request';

/** None is an unknown key with a valid checksum, because the service would look up such a key in its table. */
const WRONG_CREDENTIALS: readonly Readonly<Record<string, string>>[] = [
  {},
  { authorization: `Bearer rdn_key_${'0'.repeat(42)}` },
  { authorization: 'Bearer nonsense' },
  { authorization: 'Basic bm9uc2Vuc2U6bm9uc2Vuc2U=' },
  { 'x-api-key': 'nonsense' },
];

/** A header that API Gateway reads as an AWS signature. The signature is invalid. */
const SIGNED = {
  authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/execute-api/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
};

/** The GET requests would match a page if the first segments of their paths were not reserved. */
const UNKNOWN_PATHS: readonly (readonly [string, `/${string}`])[] = [
  ['GET', '/v1/no-such-operation'],
  ['GET', '/v1/runs/none/no-such-operation/deeper'],
  ['GET', '/runs/no-such-operation'],
  ['GET', '/.well-known/no-such-document'],
  ['GET', '/.well-known/oauth-authorization-server/mcp'],
  ['PUT', '/v1/no-such-operation'],
  ['DELETE', '/no-such-operation'],
];

async function mustAllBeUnknown(
  deployment: CheckedDeployment,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [method, path] of UNKNOWN_PATHS)
    mustRefuse(await deployment.ask(method, path, { headers }), 404, NO_SUCH_OPERATION_MESSAGE);
}

export const REFUSAL_CHECKS = defineChecks('Refusals', [
  {
    name: 'Missing and wrong credentials get the same 401 with a challenge',
    fix: suggestGatewayFix('UNAUTHORIZED'),
    run: async ({ ask, origin }) => {
      // A deployment without a domain of its own names no document.
      const challenges = [formatSignInChallenge(origin), PLAIN_CHALLENGE];
      for (const headers of WRONG_CREDENTIALS) {
        const answer = await ask('GET', '/v1/projects', { headers });
        mustRefuse(answer, 401, UNAUTHORIZED_MESSAGE);
        const challenge = answer.headers.get('www-authenticate') ?? 'absent';
        must(
          challenges.includes(challenge),
          `The header WWW-Authenticate of the 401 is ${challenge}, not ${challenges.join(' or ')}`,
        );
      }
    },
  },
  {
    name: 'The header x-api-key is ignored',
    fix: 'Set the API key source of the API rundown-<env> to AUTHORIZER, or deploy again',
    run: async ({ askAsKey }, findings) => {
      requireFinding(findings.project, 'accepted key');
      const answer = await askAsKey('GET', '/v1/projects', { headers: { 'x-api-key': 'nonsense' } });
      mustReturn(answer, 200);
    },
  },
  {
    name: 'Unknown paths of the API get 404, and never redirect to the sign-in',
    fix:
      'With GET: let the pages answer 404 for the first segments of the API (listApiSegments in infra/build/constants.ts). With other methods: ' +
      suggestGatewayFix('MISSING_AUTHENTICATION_TOKEN', 'RESOURCE_NOT_FOUND'),
    run: async (deployment) => {
      await mustAllBeUnknown(deployment, {});
    },
  },
  {
    name: 'Unknown paths get the same 404 with a credential, even one that looks like an AWS signature',
    fix: suggestGatewayFix('INVALID_SIGNATURE', 'MISSING_AUTHENTICATION_TOKEN', 'EXPIRED_TOKEN'),
    run: async (deployment) => {
      await mustAllBeUnknown(deployment, { authorization: `Bearer ${deployment.key}` });
      await mustAllBeUnknown(deployment, SIGNED);
    },
  },
  {
    name: 'A malformed query string gets 400',
    fix: suggestGatewayFix('BAD_REQUEST_PARAMETERS'),
    run: async ({ askAsKey }) => {
      mustRefuse(await askAsKey('GET', '/v1/projects?limit=%'), 400);
    },
  },
  {
    name: 'Errors of functions look like those of the gateway: 404 for unknown ids, 400 for broken JSON, 403 for API keys at /v1/me',
    fix: 'Read the log of the function that answered: /aws/lambda/rundown-<env>-getRun, -getTestSignature or -getMe',
    run: async ({ askAsKey }, findings) => {
      requireFinding(findings.project, 'accepted key');
      mustRefuse(await askAsKey('GET', '/v1/runs/none'), 404);
      mustRefuse(await askAsKey('POST', '/v1/signature/test', { body: '{' }), 400);
      const answer = await askAsKey('GET', '/v1/me');
      mustRefuse(answer, 403);
      if (!answer.text.includes('user_credential_required'))
        throw new Wrong(`${describeAnswer(answer)}, expected the code user_credential_required`);
    },
  },
]);
