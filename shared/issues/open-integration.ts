/** Opens the connection to an issue tracker for one request. */

import type { Secrets } from '#shared/engine/aws/secrets.ts';
import { ApiError, notFound, refuse } from '#shared/engine/errors.ts';
import { type Integration, integrations, type TrackerKind } from '#shared/model/organizations/integration.ts';
import type { Services } from '#shared/services.ts';
import { credentialGone, fromTracker } from './errors.ts';
import { openTracker } from './trackers/open-tracker.ts';
import { type Tracker, type TrackerNetwork, TrackerProblem } from './trackers/tracker.ts';

/** The services of functions that send requests to issue trackers. */
export interface TrackerServices extends Services, Pick<TrackerNetwork, 'ownNetwork' | 'lookup'> {
  readonly secrets: Pick<Secrets, 'get'>;
}

export interface AskedIntegration {
  readonly organizationId: string;
  readonly integrationId: string;
  /** The kind that the connection must have. */
  readonly kind?: TrackerKind | undefined;
  /** A project of Rundown that must be allowed to use the connection. */
  readonly projectId?: string | undefined;
}

export const mayUse = ({ projectIds }: Pick<Integration, 'projectIds'>, projectId: string): boolean =>
  projectIds?.includes(projectId) ?? true;

/** Throws 404 for a connection that does not exist, that the project may not use, or that has another kind. */
export async function findIntegration(
  { table }: Pick<Services, 'table'>,
  { projectId, kind, ...key }: AskedIntegration,
): Promise<Integration> {
  const found = await table.get(integrations, key, { consistent: true });
  const isUsable =
    found && (projectId === undefined || mayUse(found, projectId)) && (kind ?? found.kind) === found.kind;
  return isUsable ? found : refuse(notFound('Integration'));
}

export async function trackerOf(services: TrackerServices, integration: Integration): Promise<Tracker> {
  const { kind, apiUrl, account, secretName } = integration;
  const token = (await services.secrets.get(secretName)) ?? refuse(credentialGone());
  return openTracker({ kind, apiUrl, token, ...(account === undefined ? {} : { account }) }, services);
}

/** Answers with what the tracker said, if it did not do what it was asked. */
export async function asking<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof TrackerProblem)) throw error;
    const shown = fromTracker(error);
    // Scheduled work treats verdicts differently, so it looks for the cause.
    shown.cause = error;
    throw shown;
  }
}

/** Whether the tracker certainly did nothing, so that the same request may be sent again. */
export const didNothing = (error: unknown): boolean =>
  error instanceof ApiError || (error instanceof TrackerProblem && error.verdict.kind !== 'failed');
