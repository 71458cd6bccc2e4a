/**
 * The settings of providers at which people sign in. `npm start` reads them, too, so this file must not import the CDK,
 * which takes 60 MB and two thirds of a CPU second.
 */
import * as z from 'zod';
import { isSharedIssuer } from '#shared/model/sign-in/company-provider.ts';
import { type DeploymentProvider, GITHUB_URL } from '#shared/model/sign-in/deployment-provider.ts';

/** RFC 8414: an issuer has neither query nor fragment. Plain http is allowed only for localhost and 127.0.0.1. */
export const IssuerUrl = z
  .string()
  .regex(
    /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)(:|\/|$))[^?#\s]*$/,
    'must be the https URL of the issuer, such as https://auth.example.com, spelled exactly as in its tokens',
  );

const ClientId = z.string().regex(/^[\u0021-\u007e]{1,500}$/, 'must be the client id, as the provider shows it');

/** A domain of an address, after the @. Addresses of its subdomains are others. */
const Domains = z
  .string()
  .transform((list) => list.split(','))
  .refine(
    (list) => list.every((one) => /^([a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}$/.test(one)),
    'must be domains in lower case, such as example.com, with commas between them',
  );

const PROVIDER_NAME = 40;

/** The providers at which people sign in to their own accounts, in `infra/environments` and for `npm start`. */
export const SIGN_IN_SETTINGS = {
  githubClient: ClientId.optional().describe(
    'The client id of an OAuth app of GitHub, with which people sign in. Its secret is stored by `sign-in secret`.',
  ),
  githubUrl: IssuerUrl.refine(
    (url) => new URL(url).origin === url,
    'must be the address of GitHub Enterprise Server without a path, such as https://github.example.com',
  )
    .optional()
    .describe('The address of GitHub Enterprise Server. Default: `https://github.com`. Needs `githubClient`.'),
  signInIssuer: IssuerUrl.refine(
    (issuer) => !isSharedIssuer(issuer),
    'must be the issuer of your own tenant: this one signs in people of every company',
  )
    .optional()
    .describe(
      'The issuer of a provider of OpenID Connect, at which all people of the deployment may sign in. Needs `signInClient`.',
    ),
  signInClient: ClientId.optional().describe(
    'The client id at `signInIssuer`. Its secret is stored by `sign-in secret`.',
  ),
  signInName: z
    .string()
    .regex(
      /^[\p{L}\p{N}][\p{L}\p{N} .&'-]*$/u,
      'must consist of letters, digits, spaces, dots, dashes, apostrophes and &',
    )
    .max(PROVIDER_NAME, `must have at most ${PROVIDER_NAME} characters`)
    .optional()
    .describe('The name of `signInIssuer` on the button, such as `Acme`. Default: its host.'),
  trustedDomains: Domains.optional().describe(
    'The domains whose addresses `signInIssuer` may prove, with commas between them. Their accounts are connected at the first sign-in.',
  ),
};

export type SignInSettings = z.output<z.ZodObject<typeof SIGN_IN_SETTINGS>>;

export const SIGN_IN_RULES: readonly {
  readonly path: keyof SignInSettings;
  readonly message: string;
  readonly isKept: (settings: SignInSettings) => boolean;
}[] = [
  {
    path: 'signInClient',
    message: 'and -c signInIssuer=<issuer> must be set together',
    isKept: ({ signInIssuer, signInClient }) => (signInIssuer === undefined) === (signInClient === undefined),
  },
  {
    path: 'signInName',
    message: 'needs -c signInIssuer=<issuer> and -c signInClient=<client id>',
    isKept: ({ signInName, signInIssuer }) => signInName === undefined || signInIssuer !== undefined,
  },
  {
    path: 'trustedDomains',
    message: 'needs -c signInIssuer=<issuer> and -c signInClient=<client id>',
    isKept: ({ trustedDomains, signInIssuer }) => trustedDomains === undefined || signInIssuer !== undefined,
  },
  {
    path: 'githubUrl',
    message: 'needs -c githubClient=<client id of an OAuth app>',
    isKept: ({ githubUrl, githubClient }) => githubUrl === undefined || githubClient !== undefined,
  },
];

export function toSignInProviders({
  githubClient,
  githubUrl = GITHUB_URL,
  signInIssuer,
  signInClient,
  signInName,
  trustedDomains = [],
}: SignInSettings): DeploymentProvider[] {
  const providers: DeploymentProvider[] = [];
  if (signInIssuer !== undefined && signInClient !== undefined)
    providers.push({
      providerId: 'openid',
      name: signInName ?? new URL(signInIssuer).host,
      issuer: signInIssuer,
      clientId: signInClient,
      trustedDomains,
    });
  if (githubClient !== undefined)
    providers.push({
      providerId: 'github',
      name: 'GitHub',
      issuer: githubUrl,
      clientId: githubClient,
      trustedDomains: [],
    });
  return providers;
}

/** The providers in a JSON file for `npm start`. Throws an error that lists what is wrong. */
export function parseSignInFile(text: string): DeploymentProvider[] {
  const { data, error } = z.strictObject(SIGN_IN_SETTINGS).safeParse(JSON.parse(text));
  if (error) throw new Error(error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('. '));
  const rule = SIGN_IN_RULES.find(({ isKept }) => !isKept(data));
  if (rule) throw new Error(`${rule.path} ${rule.message.replaceAll('-c ', '')}`);
  return toSignInProviders(data);
}
