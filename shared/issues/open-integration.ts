/** Opens the connection to an issue tracker for one request. */

import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, refuse } from '#shared/engine/errors.ts';
import { readCredential } from '#shared/model/credential.ts';
import type { Integration } from '#shared/model/organizations/integration.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { credentialGone, fromTracker } from './errors.ts';
import { openTracker } from './trackers/open-tracker.ts';
import { type Tracker, type TrackerNetwork, TrackerProblem } from './trackers/tracker.ts';

/** What a request to an issue tracker needs. */
export interface TrackerConnection
  extends CoreServices,
    Pick<Services, 'privateReceivers'>,
    Pick<TrackerNetwork, 'ownNetwork' | 'lookup'> {
  readonly secrets: Pick<Secrets, 'get'>;
}

/** The services of functions that send requests to issue trackers. */
export type TrackerServices = Services & TrackerConnection;

export async function trackerOf(services: TrackerConnection, integration: Integration): Promise<Tracker> {
  const token = (await readCredential(services.secrets, integration)) ?? refuse(credentialGone());
  return openTracker({ ...integration, token }, services);
}

/** Turns a problem of the tracker into the error for clients. */
export async function asking<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof TrackerProblem)) throw error;
    const shown = fromTracker(error);
    // Scheduled work needs the verdict, which it finds in the cause.
    shown.cause = error;
    throw shown;
  }
}

/** Whether the step that failed certainly changed nothing, so that it may be repeated. */
export const didNothing = (error: unknown): boolean =>
  error instanceof ApiError || (error instanceof TrackerProblem && error.verdict.kind !== 'failed');
