/** Opens the connection to an issue tracker for one request. */

import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, refuse } from '#shared/engine/errors.ts';
import { readCredential } from '#shared/model/credential.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { credentialGone, toClientError } from './errors.ts';
import { openTracker } from './trackers/open-tracker.ts';
import { type Tracker, type TrackerNetwork, TrackerProblem } from './trackers/tracker.ts';

export interface TrackerConnection
  extends CoreServices,
    Pick<Services, 'privateReceivers'>,
    Pick<TrackerNetwork, 'ownNetwork' | 'lookup'> {
  readonly secrets: Pick<Secrets, 'get'>;
}

export type TrackerServices = Services & TrackerConnection;

export async function openIntegration(services: TrackerConnection, integration: Integration): Promise<Tracker> {
  const token = (await readCredential(services.secrets, integration)) ?? refuse(credentialGone());
  return openTracker({ ...integration, token }, services);
}

export async function translateTrackerProblem<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof TrackerProblem)) throw error;
    const clientError = toClientError(error);
    // Scheduled work needs the verdict, which it finds in the cause.
    clientError.cause = error;
    throw clientError;
  }
}

/** Whether the step that failed certainly changed nothing, so that it may be repeated. */
export const hasChangedNothing = (error: unknown): boolean =>
  error instanceof ApiError || (error instanceof TrackerProblem && error.verdict.kind !== 'failed');
