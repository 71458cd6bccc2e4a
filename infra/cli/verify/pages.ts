/** Checks pages, the files that they link, and the download of the client. */
import { describeAnswer, mustReturn } from './answers.ts';
import { defineChecks } from './check.ts';
import type { CheckedDeployment } from './deployment.ts';
import { must, Wrong } from './outcome.ts';

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

export const PAGE_CHECKS = defineChecks('Pages', [
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
