/** Pages and assets without a session. */
import type { DeploymentCheck } from './check.ts';
import { type Answered, type CheckedDeployment, shown } from './deployment.ts';
import { must, Wrong } from './outcome.ts';

const area = 'Pages';
const SIGN_IN = '/sign-in';

const PROXY =
  'Deploy again. If that does not help, a proxy in front of the API changes the pages: let it pass all headers';

/** Headers of every page, with what their values must contain. */
const SECURITY_HEADERS: Readonly<Record<string, readonly string[]>> = {
  'content-security-policy': ["default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"],
  'x-content-type-options': ['nosniff'],
  'referrer-policy': ['same-origin'],
  'cross-origin-opener-policy': ['same-origin'],
};

function mustBeGuarded({ what, headers }: Answered): void {
  for (const [name, parts] of Object.entries(SECURITY_HEADERS)) {
    const value = headers.get(name);
    const missing = parts.find((part) => !value?.includes(part));
    must(missing === undefined, `The header ${name} of ${what} is ${value ?? 'missing'}`);
  }
}

/** The URL of a link on a page. Without a custom domain, links start with the stage name. */
const absolute = ({ origin }: CheckedDeployment, address: string): string => new URL(address, `${origin}/`).href;

const LINKED = /<(?:link rel="stylesheet" href|script type="module" src)="([^"]+)"/g;

export const PAGE_CHECKS: readonly DeploymentCheck[] = [
  {
    area,
    name: 'Pages redirect to the sign-in, and back afterwards',
    fix: `${PROXY}. If the redirect leads to another host, set \`domain\` to the host of --url`,
    run: async (deployment) => {
      for (const path of ['/no-such-organization', '/no-such-organization/no-such-project']) {
        const answer = await deployment.ask('GET', path);
        const expected = `${deployment.origin}${SIGN_IN}?return_to=${encodeURIComponent(path)}`;
        const location = absolute(deployment, answer.headers.get('location') ?? '');
        must(answer.status === 303 && location === expected, `${shown(answer)}, expected 303 to ${expected}`);
      }
      return undefined;
    },
  },
  {
    area,
    name: 'Pages have the security headers, including redirects and error pages',
    fix: PROXY,
    run: async ({ ask }) => {
      for (const path of [SIGN_IN, '/no-such-organization', '/assets/no-such-file'])
        mustBeGuarded(await ask('GET', path));
      return undefined;
    },
  },
  {
    area,
    name: 'Style sheets and scripts load, and browsers cache them',
    fix: 'If it redirects to the sign-in, API Gateway prefers /{organizationId}/{projectId} to /assets/{path+}: add the route GET /assets/{file} to functions/assets. If a header is missing, a proxy in front of the API removes it',
    run: async (deployment) => {
      const page = await deployment.ask('GET', SIGN_IN);
      const addresses = [...page.text.matchAll(LINKED)].map(([, address = '']) => absolute(deployment, address));
      must(addresses.length > 1, `${shown(page)}, which links no style sheet and no script`);
      for (const address of addresses) {
        const asset = await deployment.ask('GET', address, { headers: { 'accept-encoding': 'gzip' } });
        must(asset.status === 200, `${shown(asset)}, expected 200`);
        const kept = asset.headers.get('cache-control') ?? 'no Cache-Control';
        must(kept.includes('immutable'), `${asset.what} has ${kept}, not immutable`);
        const type = asset.headers.get('content-type') ?? 'no Content-Type';
        must(/^text\/(css|javascript)/.test(type), `${asset.what} has ${type}`);
      }
      const missing = await deployment.ask('GET', '/assets/no-such-file');
      if (missing.status !== 404) throw new Wrong(`${shown(missing)}, expected 404`);
      return undefined;
    },
  },
];
