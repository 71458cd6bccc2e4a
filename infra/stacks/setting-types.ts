/** The types of settings: how their text is checked and read. */
import { Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import type { RouteThrottle } from '#shared/platform/routes.ts';

export const makeYesNo = (unset: 'true' | 'false') =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .default(unset)
    .transform((text) => text === 'true')
    .meta({ type: 'boolean' });
export const YesNo = makeYesNo('false');

/** In another CDK app, an ARN or id may be a token. Only CloudFormation knows its value, during the deployment. */
export const isKnownLater = (value: string): boolean => Token.isUnresolved(value);

export const listOfIds = (prefix: string) => {
  const isId = (text: string) => text.startsWith(`${prefix}-`) && /^\w+$/.test(text.slice(prefix.length + 1));
  return z
    .string()
    .transform((list) => list.split(','))
    .refine(
      (list) => list.every((one) => isId(one) || isKnownLater(one)),
      `must be ids such as ${prefix}-0a1b2c, with commas between them`,
    );
};

/** A policy of API Gateway has at most 8,192 characters. The longest network takes 46 with quotes and comma. */
const MOST_NETWORKS = 150;
const Network = z.union([z.cidrv4(), z.cidrv6()]);
export const Networks = z
  .string()
  .transform((list) => list.split(','))
  .refine(
    (list) => list.every((one) => Network.safeParse(one).success),
    'must be networks in CIDR notation, such as 203.0.113.0/24, with commas between them',
  )
  .refine(
    (list) => list.length <= MOST_NETWORKS,
    `must be at most ${MOST_NETWORKS} networks, because API Gateway limits the size of the policy. Use larger networks, or a web ACL`,
  );

export const KeyNames = z
  .string()
  .regex(/^\w{1,20}(,\w{1,20}){0,4}$/, 'must be one to five names of up to 20 letters or digits, separated by commas')
  .transform((list) => [...new Set(list.split(','))])
  .default(['first']);

/** The range that Lambda allows for the maximum concurrency of an event source, and our default value. */
export const CONSUMERS_AT_ONCE = { least: 2, most: 1000, unset: 10 };
/** The default limit of AWS. New accounts may start with a limit of 10. */
export const LAMBDA_CONCURRENCY = 1000;
/** Lambda keeps at least this much of the account's concurrency for functions without a reservation. */
export const UNRESERVED_CONCURRENCY = 100;

export const integerBetween = (least: number, most: number) => {
  const problem = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(problem).int(problem).min(least, problem).max(most, problem).meta({ type: 'number' });
};

/** `2000` or `2000,4000`: requests per second, and the burst, which is otherwise twice as high. */
export const Throttle = z
  .string()
  .regex(
    /^[1-9]\d{0,5}(,[1-9]\d{0,5})?$/,
    'must be requests per second, such as 2000, or requests per second and the burst, such as 2000,4000',
  )
  .transform((text): RouteThrottle => {
    const [requestsPerSecond = 0, burstRequests = 2 * requestsPerSecond] = text.split(',').map(Number);
    return { requestsPerSecond, burstRequests };
  })
  .refine(({ requestsPerSecond, burstRequests }) => burstRequests >= requestsPerSecond, {
    message: 'must have a burst that is at least as high as the requests per second',
  });

export const TableMaximum = z
  .string()
  .regex(
    /^[1-9]\d{0,6},[1-9]\d{0,6}$/,
    'must be read units and write units per second with a comma between them, such as 30000,20000',
  )
  .transform((text) => {
    const [readUnits = 0, writeUnits = 0] = text.split(',').map(Number);
    return { readUnits, writeUnits };
  });

/** The quota of AWS for one on-demand table: this many read units and this many write units per second. */
export const TABLE_UNITS = 40_000;

export const KEPT_DAYS = 3650;
/** `null` means forever, as in `Retention`. */
export const KeptDays = z
  .string()
  .refine(
    (text) => text === 'forever' || (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= KEPT_DAYS),
    `must be a number of days from 1 to ${KEPT_DAYS}, or forever`,
  )
  .transform((text) => (text === 'forever' ? null : Number(text)));

export const LOG_DAYS = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days !== RetentionDays.INFINITE,
);
