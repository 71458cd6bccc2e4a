/** What `-c name=value` may say, checked before anything is built. */
import type { Node } from 'constructs';
import * as z from 'zod';
import type { Domain } from './constructs/custom-domain.ts';
import { ENVIRONMENTS, type Environment } from './environments.ts';

export interface Settings {
  readonly environment: Environment;
  readonly domain: Domain | undefined;
  /** §5.3 Whose access tokens are accepted; none when absent. */
  readonly oauthIssuer: string | undefined;
  /** §6 Whether webhooks may go to private addresses, and over plain HTTP. */
  readonly privateWebhooks: boolean;
  /** Told of every alarm, once the address has confirmed the subscription. */
  readonly alarmEmail: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

/** RFC 8414: an issuer has neither query nor fragment. Plain http is for an issuer on this machine. */
export const Issuer = z
  .string()
  .regex(
    /^(https:\/\/|http:\/\/127\.0\.0\.1(:|\/|$))[^?#\s]*$/,
    'must be the issuer of the authorization server, such as https://auth.example.com, written as its tokens write it',
  );

const Context = z
  .object({
    env: z.enum(['dev', 'staging', 'prod'], 'must be dev, staging or prod').default('dev'),
    domain: z.hostname('must be a host name such as results.example.com').optional(),
    certificate: z.string().startsWith('arn:', 'must be the ARN of an ACM certificate').optional(),
    zone: z.string().optional(),
    oauthIssuer: Issuer.optional(),
    privateWebhooks: z.enum(['true', 'false'], 'must be true or false').default('false'),
    alarmEmail: z.email('must be an e-mail address').optional(),
    owner: z.string().default('unassigned'),
    costCenter: z.string().default('unassigned'),
  })
  .refine(({ domain, certificate }) => (domain === undefined) === (certificate === undefined), {
    path: ['domain'],
    message: 'needs -c certificate=<ARN of its ACM certificate in the region of the stack>, and the other way round',
  });

const NAMES = Object.keys(Context.shape);

/** Throws with the settings to correct. */
export function readSettings(node: Node): Settings {
  const given = Object.fromEntries(NAMES.map((name): [string, unknown] => [name, node.tryGetContext(name)]));
  const parsed = Context.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `-c ${path.join('.')}=... ${message}`);
    throw new Error(problems.join('\n'));
  }
  const { env, domain, certificate, zone, oauthIssuer, privateWebhooks, alarmEmail, owner, costCenter } = parsed.data;
  return {
    environment: ENVIRONMENTS[env],
    domain: domain && certificate ? { domainName: domain, certificateArn: certificate, hostedZoneId: zone } : undefined,
    oauthIssuer,
    privateWebhooks: privateWebhooks === 'true',
    alarmEmail,
    tags: { app: 'rundown', env, owner, 'cost-center': costCenter },
  };
}
