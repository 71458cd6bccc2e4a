/** A project with a failing run and a connection to a fake issue tracker. */
import { expect } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { saveIntegration } from '#shared/issues/integrations.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import type { IssueMark } from '#shared/results/failures/known-issue-wire.ts';
import { FAILING, failingRun } from '#test/harness/failing-run.ts';
import { testIdOf } from '#test/harness/recording-messages.ts';
import type { TrackerStandIn } from '#test/harness/trackers/stand-in.ts';

export type Stage = Awaited<ReturnType<typeof stage>>;

export async function stage(start: () => Promise<TrackerStandIn>) {
  const run = await failingRun();
  const tracker = await start();
  const { organizationId, projectId, api, instanceId } = run;
  const services = { ...run.services, ...connectTrackers(run.environment)(), privateReceivers: 'machine' as const };
  const settings = {
    kind: tracker.kind,
    name: tracker.name,
    apiUrl: tracker.url,
    account: tracker.account,
    token: tracker.token,
    projectIds: undefined,
  };
  const request = { organizationId, actor: OPERATOR };
  const { integrationId } = await saveIntegration(services, { ...request, integrationId: undefined, settings });
  tracker.received.splice(0);
  const testId = testIdOf('retail', FAILING);
  const wanted = { integrationId, trackerProjectId: tracker.project, issueTypeId: tracker.typeId, instanceId, testId };
  const path = `/projects/${projectId}/issues`;
  return {
    ...run,
    tracker,
    services,
    settings,
    request,
    integrationId,
    testId,
    wanted,
    path,
    create: (more: object = {}, client = api) => client.post(path, { ...wanted, ...more }),
    link: (issueKey: string, more: object = {}) =>
      api.post(`${path}/link`, { integrationId, instanceId, testId, issueKey, ...more }),
    listed: async (query = '') => (await api.get(`${path}${query}`)).body.data,
    /** The issues that the failure context of the test names. */
    shown: async (): Promise<IssueMark[] | undefined> =>
      (await api.get(`/context?instance_id=${instanceId}&test_id=${testId}`)).body.data.knownIssues,
  };
}

/** Expects a successful response, and returns its data. */
export function done({
  status,
  body,
}: {
  readonly status: number;
  readonly body: { readonly data: Record<string, unknown> };
}) {
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
}
