/** All checks in the order in which they run, and a list of what they do not cover. */

import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { BODY_LIMITS } from '#shared/engine/http/limits.ts';
import { checksOf, type DeploymentCheck } from './check.ts';
import { CONNECTION_CHECKS, REACHABLE } from './connection.ts';
import {
  type Answered,
  bodyIn,
  type CheckedDeployment,
  dataIn,
  must,
  mustReturn,
  NotHere,
  needed,
  shown,
  Wrong,
} from './deployment.ts';
import { RECORDING } from './recording.ts';
import { mustRefuse, REFUSALS } from './refusals.ts';
import { EVENTS, WEBHOOKS } from './webhooks.ts';

// The checks of pages and assets that need no session.

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

/** The URL of a link on a page. Without a custom domain, links start with the stage name. */
const absolute = ({ origin }: CheckedDeployment, address: string): string => new URL(address, `${origin}/`).href;

const LINKED = /<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"/g;

const PAGE_CHECKS = checksOf('Pages', [
  {
    name: 'Pages redirect to the sign-in, and name the page to return to',
    fix: `${PROXY}. If the redirect leads to another host, set \`domain\` to the host of --url`,
    run: async (deployment) => {
      for (const path of ['/no-such-organization', '/no-such-organization/no-such-project']) {
        const answer = await deployment.ask('GET', path);
        const expected = `${deployment.origin}${SIGN_IN}?return_to=${encodeURIComponent(path)}`;
        const location = absolute(deployment, answer.headers.get('location') ?? '');
        must(answer.status === 303 && location === expected, `${shown(answer)}, expected 303 to ${expected}`);
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
      const addresses = [...page.text.matchAll(LINKED)].map(([, address = '']) => absolute(deployment, address));
      must(addresses.length > 1, `${shown(page)}, which does not link a style sheet and a script`);
      for (const address of addresses) {
        const asset = await deployment.ask('GET', address, { headers: { 'accept-encoding': 'gzip' } });
        mustReturn(asset, 200);
        const kept = asset.headers.get('cache-control') ?? 'no Cache-Control';
        must(kept.includes('immutable'), `${asset.what} has ${kept}, expected Cache-Control: immutable`);
        const type = asset.headers.get('content-type') ?? 'no Content-Type';
        must(/^text\/(css|javascript)/.test(type), `${asset.what} has ${type}, expected text/css or text/javascript`);
      }
      const missing = await deployment.ask('GET', '/assets/no-such-file');
      mustReturn(missing, 404);
    },
  },
  {
    name: 'npm can install the client from the service',
    fix: 'If the file is not a gzip file, let API Gateway treat all media types as binary (`*/*`), or let the proxy in front of it pass bodies unchanged',
    run: async ({ ask }) => {
      const newest = await ask('GET', '/client/rundown-cli.tgz');
      const [path] = /\/client\/[^/]+\/rundown-cli\.tgz$/.exec(newest.headers.get('location') ?? '') ?? [];
      if (newest.status !== 302 || path === undefined)
        throw new Wrong(`${shown(newest)}, expected 302 to a version of the client`);
      const file = await ask('GET', path);
      // The first byte of a gzip file. Its second byte is not valid UTF-8, so the text does not contain it.
      must(file.status === 200 && file.text.startsWith('\u001f'), `${file.what} returned no gzip file`);
    },
  },
]);

// The checks of discovery documents and of the API description.

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

const DOCUMENTS = checksOf('Documents', [
  {
    name: 'The discovery documents and the API description name this address',
    fix: ORIGIN,
    run: async ({ ask, origin }) => {
      const mustBeHere = (what: string, address: string, expected: string): void =>
        must(address === expected, `${what} names ${address}, not ${expected}`);
      for (const resource of RESOURCES) {
        const path = `/.well-known/oauth-protected-resource${resource}`;
        mustBeHere(path, bodyIn(Resource, await ask('GET', path)).resource, origin + resource);
      }
      const description = '/v1/docs/openapi.json';
      const { servers } = bodyIn(OpenApi, await ask('GET', description));
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
      } = bodyIn(Resource, await ask('GET', '/.well-known/oauth-protected-resource'));
      if (issuer !== resource) throw new NotHere(`tokens come from ${issuer}, which the setting oauthIssuer names`);
      for (const path of SERVERS) {
        const { issuer: named, ...endpoints } = bodyIn(Server, await ask('GET', path));
        const strange = [named, ...Object.values(endpoints)].find((address) => !address.startsWith(issuer));
        must(strange === undefined, `${path} names ${strange}, which is not below ${issuer}`);
      }
      const { keys } = bodyIn(Keys, await ask('GET', '/api/auth/oauth2/jwks'));
      must(keys.length > 0, '/api/auth/oauth2/jwks has no key');
      return [`${keys.length} key${keys.length > 1 ? 's' : ''}`];
    },
  },
]);

// The check that measures the latency of the first request, which may be a cold start, and of later requests.

const LATER_REQUESTS = 10;

const MEASURED: Readonly<Record<string, (deployment: CheckedDeployment) => Promise<Answered>>> = {
  'the gateway alone': ({ ask }) => ask('PUT', '/v1/no-such-operation'),
  'a function': ({ ask }) => ask('GET', '/.well-known/oauth-protected-resource'),
  'authorizer, function and table': ({ askAsKey }) => askAsKey('GET', '/v1/projects?limit=1'),
  'a page': ({ ask }) => ask('GET', SIGN_IN),
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const LATENCY = checksOf('Latency', [
  {
    name: `Latency: the first answer, which may be a cold start, and the median of ${LATER_REQUESTS} later ones`,
    fix: 'Check the network between this computer and the service',
    isMeasurement: true,
    run: async (deployment) => {
      const lines: string[] = [];
      for (const [name, send] of Object.entries(MEASURED)) {
        const first = await send(deployment);
        const later: number[] = [];
        while (later.length < LATER_REQUESTS) later.push((await send(deployment)).milliseconds);
        lines.push(`${name}: ${Math.round(first.milliseconds)} ms, then ${Math.round(median(later))} ms`);
      }
      return lines;
    },
  },
]);

// The checks that remove what other checks created.

async function remove({ askAsKey }: CheckedDeployment, path: `/${string}`): Promise<void> {
  const deleted = await askAsKey('DELETE', path);
  mustReturn(deleted, 200);
  mustRefuse(await askAsKey('GET', path), 404);
}

const byHand = (place: string): string => `Delete it by hand ${place}, or send DELETE to the path above`;

export const CLEAN_UP_CHECKS = checksOf('Clean-up', [
  {
    name: 'The webhook is deleted',
    fix: byHand('in the settings of the project'),
    isCleanUp: true,
    run: async (deployment, { webhook }) => {
      if (!webhook) throw new NotHere('no webhook was created');
      await remove(deployment, `/v1/webhooks/${webhook.hookId}`);
    },
  },
  {
    name: 'The recorded run is deleted, and reading it returns 404 immediately',
    fix: byHand('on the page of the run'),
    isCleanUp: true,
    run: async (deployment, { run }) => {
      if (!run) throw new NotHere('no run was recorded');
      await remove(deployment, `/v1/runs/${run.runId}`);
    },
  },
]);

// The checks of compressed and large bodies, in requests and responses.

const DOCUMENT = '/v1/docs/openapi.json';
const BINARY =
  'Set the binary media types of the API rundown-<env> to */*, without a minimum compression size, and deploy again. A proxy in front of the API must pass Accept-Encoding and Content-Encoding';
const FIREWALL =
  'A firewall or a proxy in front of the API limits bodies: with AWS WAF, override the rule SizeRestrictions_BODY of the managed rules to Count';

/**
 * The size of a body that must be accepted. Lambda accepts 6 MB including the base64 encoding. functions/README.md
 * promises about 4.5 MB.
 */
const FITTING_BYTES = 4_500_000;
/** Sizes of bodies that must be refused: above the limit of Lambda, and above the limit of API Gateway. */
const TOO_LARGE_BYTES = [5_500_000, 10_500_000];

const Signature = z.object({ signature: z.string() });

/** Calls an operation that reads a body and changes nothing. */
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

const BODIES = checksOf('Bodies', [
  {
    name: 'Answers are compressed for clients that accept gzip, and only for them',
    fix: BINARY,
    run: async ({ ask }) => {
      const plain = await ask('GET', DOCUMENT);
      const compressed = await ask('GET', DOCUMENT, { headers: { 'accept-encoding': 'gzip' } });
      mustReturn(plain, 200);
      must(!plain.headers.has('content-encoding'), `${DOCUMENT} has ${encodingOf(plain)} without Accept-Encoding`);
      must(encodingOf(compressed) === 'gzip', `${DOCUMENT} has ${encodingOf(compressed)} with Accept-Encoding: gzip`);
      must(plain.text === compressed.text, `${DOCUMENT} has different content when it is compressed`);
    },
  },
  {
    name: 'A compressed body is read like an uncompressed one',
    fix: BINARY,
    run: async (deployment, found) => {
      const body = testIn(needed(found.project, 'project').projectId);
      const plain = dataIn(Signature, await signature(deployment, body));
      const compressed = dataIn(Signature, await signature(deployment, gzipSync(body), GZIP));
      must(plain.signature === compressed.signature, 'The compressed body was read differently from the plain one');
    },
  },
  {
    name: 'A body of 4.5 MB is accepted',
    fix: FIREWALL,
    run: async (deployment, found) => {
      const body = testIn(needed(found.project, 'project').projectId).padEnd(FITTING_BYTES);
      dataIn(Signature, await signature(deployment, body));
    },
  },
  {
    name: 'Larger bodies get 413: above 6 MB as base64, above 10 MB, and above 24 MB after decompression',
    fix: 'Status 5xx: read the access log /rundown/<env>/access. No answer: a proxy in front of the API closes the connection instead of answering 413',
    run: async (deployment, found) => {
      needed(found.project, 'accepted key');
      for (const bytes of TOO_LARGE_BYTES) {
        const answer = await signature(deployment, new Uint8Array(bytes).fill(32));
        must(answer.status === 413, `A body of ${bytes / 1e6} MB: ${shown(answer)}, expected 413`);
        // API Gateway does not allow the body of its 413 to be customized, so only the content type is checked.
        must(
          answer.headers.get('content-type')?.startsWith('application/json') === true,
          `${shown(answer)}, expected JSON`,
        );
      }
      mustRefuse(await signature(deployment, gzipSync(new Uint8Array(2 * BODY_LIMITS.bytes).fill(32)), GZIP), 413);
    },
  },
]);

/**
 * All checks, in the order in which they run. Only one check runs before the latency checks: the check that the service
 * answers. Any other check would warm up the functions whose latency is measured.
 */
export const CHECKS: readonly DeploymentCheck[] = [
  ...REACHABLE,
  ...LATENCY,
  ...CONNECTION_CHECKS,
  ...REFUSALS,
  ...DOCUMENTS,
  ...BODIES,
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
