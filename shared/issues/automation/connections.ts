/**
 * §5.2 The connections that a pass uses. After a failure, a connection is not used for a while. After a refusal, it is
 * not used until somebody saves it or tests it successfully.
 */
import { AUTOMATION } from '#shared/access/actor.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import { update } from '#shared/engine/table/writes.ts';
import { formatSecretName, hasCredential } from '#shared/model/credential.ts';
import { type Integration, integrations } from '#shared/model/issues/integration.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { planFailureRecord } from '#shared/organizations/change.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import { isRefused, isUnavailable } from '../errors.ts';
import { mayUse } from '../find-integration.ts';
import { openIntegration, type TrackerServices } from '../open-integration.ts';
import { type Tracker, TrackerProblem } from '../trackers/tracker.ts';

/** The tracker is down, no time is left, or another request is creating the same issue. A later pass continues. */
export class TrackerPaused extends Error {
  override name = 'TrackerPaused';
}

/** The connection does not exist, or does not work until somebody changes it. Waiting does not help. */
export class TrackerUnusable extends Error {
  override name = 'TrackerUnusable';
}

interface PassScope extends ProjectKey {
  /** No work begins after this time, in epoch milliseconds. Work that began before may still send several requests. */
  readonly until: number;
}

export class PassConnections {
  readonly #services: TrackerServices;
  readonly #scope: PassScope;
  readonly #known = new Map<string, Promise<Integration | undefined>>();

  constructor(services: TrackerServices, scope: PassScope) {
    this.#services = { ...services, secrets: rememberSecrets(services.secrets) };
    this.#scope = scope;
  }

  async find(integrationId: string): Promise<Integration | undefined> {
    const { organizationId, projectId } = this.#scope;
    const lookup =
      this.#known.get(integrationId) ??
      this.#services.table.get(integrations, { organizationId, integrationId }, { consistent: true });
    this.#known.set(integrationId, lookup);
    const integration = await lookup;
    return integration && mayUse(integration, projectId) ? integration : undefined;
  }

  /** Returns the ids of those connections that can be used now. */
  async listUsable(integrationIds: readonly string[]): Promise<ReadonlySet<string>> {
    const usableIds = await mapConcurrently([...new Set(integrationIds)], async (integrationId) => {
      try {
        return (await this.check(integrationId)).integrationId;
      } catch (error) {
        if (error instanceof TrackerPaused || error instanceof TrackerUnusable) return [];
        throw error;
      }
    });
    return new Set(usableIds.flat());
  }

  /** Returns the connection. Throws if it cannot be used now. */
  async check(integrationId: string): Promise<Integration> {
    const integration = await this.find(integrationId);
    const now = this.#services.now();
    if (!integration || integration.refused || !hasCredential(integration)) throw new TrackerUnusable();
    if ((integration.pausedUntil ?? 0) > now || now > this.#scope.until) throw new TrackerPaused();
    return integration;
  }

  /** Throws `TrackerProblem` only if a working tracker lacks the issue or project, or does not accept the request. */
  ask<Result>(integrationId: string, request: (tracker: Tracker) => Promise<Result>): Promise<Result> {
    return this.use(integrationId, async (services, integration) =>
      request(await openIntegration(services, integration)),
    );
  }

  /**
   * Does work that sends requests to the tracker. Throws `TrackerUnusable` if somebody must fix the connection, and
   * `TrackerPaused` if the work can be repeated later, because the tracker does not work now or another request is
   * creating the same issue. Passes on all other errors.
   */
  async use<Result>(
    integrationId: string,
    work: (services: TrackerServices, integration: Integration) => Promise<Result>,
  ): Promise<Result> {
    const integration = await this.check(integrationId);
    try {
      const result = await work(this.#services, integration);
      await this.#recordSuccess(integrationId);
      return result;
    } catch (error) {
      const { verdict, message } = findTrackerProblem(error) ?? {};
      switch (verdict?.kind) {
        case 'failed':
          await this.#recordFailure(integrationId);
          throw new TrackerPaused();
        case 'limited':
          await this.#recordLimit(integrationId, verdict.retryAfterSeconds * 1000);
          throw new TrackerPaused();
        case 'refused':
          await this.#recordRefusal(integrationId, message ?? 'the tracker refused');
          throw new TrackerUnusable();
        case 'missing':
        case 'invalid':
          await this.#recordSuccess(integrationId);
          throw error;
        case undefined:
          if (!isUnavailable(error)) throw error;
          // Another request is creating the same issue.
          throw new TrackerPaused();
      }
    }
  }

  async #recordSuccess(integrationId: string): Promise<void> {
    const integration = await this.find(integrationId);
    if (integration?.failures === undefined && integration?.pausedUntil === undefined) return;
    await this.#change(integrationId, {}, ['failures', 'pausedUntil']);
  }

  async #recordFailure(integrationId: string): Promise<void> {
    const integration = await this.find(integrationId);
    const now = this.#services.now();
    // Requests that were already in flight when the pause began do not count as further failures.
    if ((integration?.pausedUntil ?? 0) > now) return;
    const failures = (integration?.failures ?? 0) + 1;
    const { first, longest } = SENDING_LIMITS.receiverPauseMilliseconds;
    const pausedUntil = now + Math.min(longest, first * 2 ** (failures - 1));
    await this.#change(integrationId, { failures, pausedUntil });
  }

  /** §5.1 Also tells the Admins. Of concurrent passes, only the first one does. */
  async #recordRefusal(integrationId: string, problem: string): Promise<void> {
    const integration = await this.find(integrationId);
    if (!integration) return;
    const refused = { at: this.#services.now(), problem };
    const { organizationId, name } = integration;
    const isStored = await this.#services.table.transact([
      update(
        integrations,
        integration,
        { set: [['refused', refused]] },
        { all: [expectSameValues(integration, 'updatedAt'), { absent: 'refused' }] },
      ),
      ...planFailureRecord(this.#services, AUTOMATION, {
        organizationId,
        action: 'integration failed',
        subject: integrationId,
        label: name,
        detail: problem,
      }),
    ]);
    // Otherwise somebody saved the connection meanwhile, or another pass has stored the refusal: read it again.
    if (isStored) this.#known.set(integrationId, Promise.resolve({ ...integration, refused }));
    else this.#known.delete(integrationId);
  }

  async #recordLimit(integrationId: string, milliseconds: number): Promise<void> {
    const wait = Math.min(milliseconds, SENDING_LIMITS.retryAfterMilliseconds);
    await this.#change(integrationId, { pausedUntil: this.#services.now() + wait });
  }

  /** Changes the connection, unless somebody saved it in the meantime. */
  async #change(integrationId: string, members: object, remove: readonly ('failures' | 'pausedUntil')[] = []) {
    const integration = await this.find(integrationId);
    if (!integration) return;
    const changes = { set: toAssignments(members), remove };
    const result = await this.#services.table.update(
      integrations,
      integration,
      changes,
      expectSameValues(integration, 'updatedAt'),
    );
    this.#known.set(integrationId, Promise.resolve(result.item));
  }
}

/** The tracker's problem, even if an operation has turned it into an error for clients. */
export function findTrackerProblem(error: unknown): Pick<TrackerProblem, 'verdict' | 'message'> | undefined {
  if (error instanceof TrackerProblem) return error;
  if (!(error instanceof ApiError)) return undefined;
  if (error.cause instanceof TrackerProblem) return error.cause;
  return isRefused(error) ? { verdict: { kind: 'refused' }, message: error.message } : undefined;
}

/** Reads each credential once in a pass. */
function rememberSecrets(secrets: TrackerServices['secrets']): TrackerServices['secrets'] {
  const valuesByName = new Map<string, Promise<string | undefined>>();
  return {
    get: (secret) => {
      const name = formatSecretName(secret);
      const value = valuesByName.get(name) ?? secrets.get(secret);
      valuesByName.set(name, value);
      return value;
    },
  };
}
