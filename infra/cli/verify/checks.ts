/** All checks in order, and what they do not cover. */
import { BODIES } from './bodies.ts';
import type { DeploymentCheck } from './check.ts';
import { CLEAN_UP_CHECKS } from './clean-up.ts';
import { CONNECTION_CHECKS, REACHABLE } from './connection.ts';
import { DOCUMENTS } from './documents.ts';
import { LATENCY } from './latency.ts';
import { PAGE_CHECKS } from './pages.ts';
import { RECORDING } from './recording.ts';
import { REFUSALS } from './refusals.ts';
import { EVENTS, WEBHOOKS } from './webhooks.ts';

/** The checks in their order. Latency comes first, because other checks would warm up the functions. */
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

interface NotChecked {
  readonly what: string;
  readonly why: string;
}

export const NOT_CHECKED: readonly NotChecked[] = [
  { what: '403 with a challenge for a missing permission', why: 'needs a personal access token with few permissions' },
  { what: 'pages and forms behind the sign-in', why: 'need a session, by a passkey or a sign-in link' },
  { what: 'access tokens of applications', why: 'need the consent of a person: npm run login' },
  { what: 'notifications', why: 'need their credentials' },
  { what: '429 above the limits', why: 'would throttle the requests of other clients' },
  { what: '5xx of the gateway itself', why: 'would need a broken function' },
  { what: 'alarms, schedules and the deletion of rows and files', why: 'need access to the AWS account' },
];
