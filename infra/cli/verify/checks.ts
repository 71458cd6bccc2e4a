/** All checks in the order in which they run, and a list of what they do not cover. */
import { BODY_CHECKS } from './bodies.ts';
import type { DeploymentCheck } from './check.ts';
import { CLEAN_UP_CHECKS } from './clean-up.ts';
import { CONNECTION_CHECKS, REACHABILITY_CHECKS } from './connection.ts';
import { DOCUMENT_CHECKS } from './documents.ts';
import { FIREWALL_CHECKS } from './firewall.ts';
import { LATENCY_CHECKS } from './latency.ts';
import { PAGE_CHECKS } from './pages.ts';
import { RECORDING_CHECKS } from './recording.ts';
import { REFUSAL_CHECKS } from './refusals.ts';
import { RUN_EVENT_CHECKS, WEBHOOK_CHECKS } from './webhooks.ts';

/** Only `REACHABILITY_CHECKS` run before the latency checks: any other check would warm up the functions that they measure. */
export const CHECKS: readonly DeploymentCheck[] = [
  ...REACHABILITY_CHECKS,
  ...LATENCY_CHECKS,
  ...CONNECTION_CHECKS,
  ...REFUSAL_CHECKS,
  ...DOCUMENT_CHECKS,
  ...BODY_CHECKS,
  ...FIREWALL_CHECKS,
  ...PAGE_CHECKS,
  ...WEBHOOK_CHECKS,
  ...RECORDING_CHECKS,
  ...RUN_EVENT_CHECKS,
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
