/** All checks in the order in which they run, and a list of what they do not cover. */

import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import { type DeploymentCheck, defineChecks } from './check.ts';
import { CONNECTION_CHECKS, REACHABLE } from './connection.ts';
import {
  type CheckedDeployment,
  type DeploymentAnswer,
  describeAnswer,
  must,
  mustReturn,
  NotHere,
  parseAnswer,
  parseAnswerData,
  requireFinding,
  Wrong,
} from './deployment.ts';
import { FIREWALL_CHECKS, FIREWALL_FIX } from './firewall.ts';
import { RECORDING } from './recording.ts';
import { mustRefuse, REFUSALS } from './refusals.ts';
import { EVENTS, WEBHOOKS } from './webhooks.ts';

const SIGN_IN = '/sign-in';

const PROXY =
  'Deploy again. If that does not help, a proxy in front of the API changes the pages: let it pass all headers';

/** The security headers of every page, with the texts that their values must contain. */
const SECURITY_HEADERS: Readonly<Record<string, readonly string[]>> = {
  'content-security-policy': ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"],
  'x-content-type-options': ['nosniff'],
  'referrer-policy': ['same-origin'],
  'cross-origin-opener-policy': ['same-origin'],
};

/** Without a custom domain, links start with the stage name. */
const resolveLink = ({ origin }: CheckedDeployment, address: string): string => new URL(address, `${origin}/`).href;

const LINKED = /<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"/g;

const PAGE_CHECKS = defineChecks('Pages', [
  {
    name: 'Pages redirect to the sign-in, and name the page to return to',
    fix: `${PROXY}. If the redirect leads to another host, set \`domain\` to the host of --url`,
    run: async (deployment) => {
      for (const path of ['/no-such-organization', '/no-such-organization/no-such-project']) {
        const answer = await deployment.ask('GET', path);
        const expectedLocation = `${deployment.origin}${SIGN_IN}?return_to=${encodeURIComponent(path)}`;
        const location = resolveLink(deployment, answer.headers.get('location') ?? '');
        must(
          answer.status === 303 && location === expectedLocation,
          `${describeAnswer(answer)}, expected 303 to ${expectedLocation}`,
        );
      }
    },
  },
  {
    name: 'Pages have the security headers, including redirects and error pages',
    fix: PROXY,
    run: async ({ ask }) => {
      for (const path of [SIGN_IN, '/no-such-organization', '/assets/no-such-file']) {
        const { what, headers } = await ask('GET', path);
        for (const [name, parts] of Object.entries(SECURITY_HEADERS)) {
          const value = headers.get(name);
          const hasAll = parts.every((part) => value?.includes(part));
          must(hasAll, `The header ${name} of ${what} is ${value ?? 'missing'}`);
        }
      }
    },
  },
  {
    name: 'Style sheets and scripts load, and browsers cache them',
    fix: 'If a file redirects to the sign-in, API Gateway prefers /{organizationId}/{projectId} to /assets/{path+}: add the route GET /assets/{file} to functions/assets. If a header is missing, a proxy in front of the API removes it',
    run: async (deployment) => {
      const page = await deployment.ask('GET', SIGN_IN);
      const addresses = [...page.text.matchAll(LINKED)].map(([, address = '']) => resolveLink(deployment, address));
      must(addresses.length > 1, `${describeAnswer(page)}, which does not link a style sheet and a script`);
      for (const address of addresses) {
        const asset = await deployment.ask('GET', address, { headers: { 'accept-encoding': 'gzip' } });
        mustReturn(asset, 200);
        const cacheControl = asset.headers.get('cache-control') ?? 'no Cache-Control';
        must(
          cacheControl.includes('immutable'),
          `${asset.what} has ${cacheControl}, expected Cache-Control: immutable`,
        );
        const type = asset.headers.get('content-type') ?? 'no Content-Type';
        must(/^text\/(css|javascript)/.test(type), `${asset.what} has ${type}, expected text/css or text/javascript`);
      }
      const missingAsset = await deployment.ask('GET', '/assets/no-such-file');
      mustReturn(missingAsset, 404);
    },
  },
  {
    name: 'npm can install the client from the service',
    fix: 'If the file is not a gzip file, let API Gateway treat all media types as binary (`*/*`), or let the proxy in front of it pass bodies unchanged',
    run: async ({ ask }) => {
      const redirect = await ask('GET', '/client/rundown-cli.tgz');
      const [path] = /\/client\/[^/]+\/rundown-cli\.tgz$/.exec(redirect.headers.get('location') ?? '') ?? [];
      if (redirect.status !== 302 || path === undefined)
        throw new Wrong(`${describeAnswer(redirect)}, expected 302 to a version of the client`);
      const file = await ask('GET', path);
      // The first byte of a gzip file. Its second byte is not valid UTF-8, so the text does not contain it.
      must(file.status === 200 && file.text.startsWith('\u001f'), `${file.what} returned no gzip file`);
    },
  },
]);

const ORIGIN =
  'Set `domain` in infra/environments/<env>.json to the host of --url, and deploy. Without a domain, --url must be the output RecordUrl';

const Resource = z.object({ resource: z.string(), authorization_servers: z.tuple([z.string()]) });
const Listed = z.object({ url: z.string() });
const OpenApi = z.object({ servers: z.tuple([Listed], Listed) });
const Server = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  registration_endpoint: z.string(),
});
const Keys = z.object({ keys: z.array(z.object({ kty: z.string(), kid: z.string() })) });

const RESOURCES = ['', '/mcp'] as const;
const SERVERS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

const DOCUMENTS = defineChecks('Documents', [
  {
    name: 'The discovery documents and the API description name this address',
    fix: ORIGIN,
    run: async ({ ask, origin }) => {
      const mustBeHere = (what: string, address: string, expectedAddress: string): void =>
        must(address === expectedAddress, `${what} names ${address}, not ${expectedAddress}`);
      for (const resource of RESOURCES) {
        const path = `/.well-known/oauth-protected-resource${resource}`;
        mustBeHere(path, parseAnswer(Resource, await ask('GET', path)).resource, origin + resource);
      }
      const description = '/v1/docs/openapi.json';
      const { servers } = parseAnswer(OpenApi, await ask('GET', description));
      mustBeHere(description, servers[0].url, `${origin}/v1`);
    },
  },
  {
    name: 'The authorization server publishes its endpoints and the keys of its tokens',
    fix: 'Read the log /aws/lambda/rundown-<env>-authorizationServer: the function needs kms:GetPublicKey for the keys of the setting `signingKeys`',
    run: async ({ ask }) => {
      const {
        resource,
        authorization_servers: [issuer],
      } = parseAnswer(Resource, await ask('GET', '/.well-known/oauth-protected-resource'));
      if (issuer !== resource) throw new NotHere(`tokens come from ${issuer}, which the setting oauthIssuer names`);
      for (const path of SERVERS) {
        const { issuer: namedIssuer, ...endpoints } = parseAnswer(Server, await ask('GET', path));
        const strange = [namedIssuer, ...Object.values(endpoints)].find((address) => !address.startsWith(issuer));
        must(strange === undefined, `${path} names ${strange}, which is not below ${issuer}`);
      }
      const { keys } = parseAnswer(Keys, await ask('GET', '/api/auth/oauth2/jwks'));
      must(keys.length > 0, '/api/auth/oauth2/jwks has no key');
      return [`${keys.length} key${keys.length > 1 ? 's' : ''}`];
    },
  },
]);

const LATER_REQUESTS = 10;

const MEASURED: Readonly<Record<string, (deployment: CheckedDeployment) => Promise<DeploymentAnswer>>> = {
  'the gateway alone': ({ ask }) => ask('PUT', '/v1/no-such-operation'),
  'a function': ({ ask }) => ask('GET', '/.well-known/oauth-protected-resource'),
  'authorizer, function and table': ({ askAsKey }) => askAsKey('GET', '/v1/projects?limit=1'),
  'a page': ({ ask }) => ask('GET', SIGN_IN),
};

const computeMedian = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const LATENCY = defineChecks('Latency', [
  {
    name: `Latency: the first answer, which may be a cold start, and the median of ${LATER_REQUESTS} later ones`,
    fix: 'Check the network between this computer and the service',
    isMeasurement: true,
    run: async (deployment) => {
      const lines: string[] = [];
      for (const [name, send] of Object.entries(MEASURED)) {
        const first = await send(deployment);
        const laterMilliseconds: number[] = [];
        while (laterMilliseconds.length < LATER_REQUESTS) laterMilliseconds.push((await send(deployment)).milliseconds);
        lines.push(
          `${name}: ${Math.round(first.milliseconds)} ms, then ${Math.round(computeMedian(laterMilliseconds))} ms`,
        );
      }
      return lines;
    },
  },
]);

async function remove({ askAsKey }: CheckedDeployment, path: `/${string}`): Promise<void> {
  const deletion = await askAsKey('DELETE', path);
  mustReturn(deletion, 200);
  mustRefuse(await askAsKey('GET', path), 404);
}

const suggestDeletion = (place: string): string => `Delete it by hand ${place}, or send DELETE to the path above`;

export const CLEAN_UP_CHECKS = defineChecks('Clean-up', [
  {
    name: 'The webhook is deleted',
    fix: suggestDeletion('in the settings of the project'),
    isCleanUp: true,
    run: async (deployment, { webhook }) => {
      if (!webhook) throw new NotHere('no webhook was created');
      await remove(deployment, `/v1/webhooks/${webhook.hookId}`);
    },
  },
  {
    name: 'The recorded run is deleted, and reading it returns 404 immediately',
    fix: suggestDeletion('on the page of the run'),
    isCleanUp: true,
    run: async (deployment, { run }) => {
      if (!run) throw new NotHere('no run was recorded');
      await remove(deployment, `/v1/runs/${run.runId}`);
    },
  },
]);

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

const BODIES = defineChecks('Bodies', [
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

/** Only `REACHABLE` runs before the latency checks: any other check would warm up the functions that they measure. */
export const CHECKS: readonly DeploymentCheck[] = [
  ...REACHABLE,
  ...LATENCY,
  ...CONNECTION_CHECKS,
  ...REFUSALS,
  ...DOCUMENTS,
  ...BODIES,
  ...FIREWALL_CHECKS,
  ...PAGE_CHECKS,
  ...WEBHOOKS,
  ...RECORDING,
  ...EVENTS,
  ...CLEAN_UP_CHECKS,
];

export const NOT_CHECKED = [
  { what: '403 with a challenge for a missing permission', why: 'needs a personal access token with few permissions' },
  { what: 'pages and forms behind the sign-in', why: 'need a session, started with a passkey or a sign-in link' },
  { what: 'access tokens of applications', why: 'need the consent of a person: npm run login' },
  { what: 'notifications', why: 'need their credentials' },
  { what: '429 above the limits', why: 'would throttle the requests of other clients' },
  { what: '5xx of the gateway itself', why: 'would need a broken function' },
  { what: 'alarms, schedules and the deletion of rows and files', why: 'need access to the AWS account' },
];
