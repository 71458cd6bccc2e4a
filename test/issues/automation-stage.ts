/** A project with a connected tracker. The test decides when runs end and when the schedule runs. */
import { onTestFinished } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { rememberEndedRun } from '#shared/issues/automation/notice-run.ts';
import { type AutomationSettings, changeAutomation, readAutomation } from '#shared/issues/automation/settings.ts';
import { createIssue } from '#shared/issues/create-issue.ts';
import type { IntegrationSettings } from '#shared/issues/integration-settings.ts';
import { saveIntegration } from '#shared/issues/integrations.ts';
import { linkIssue } from '#shared/issues/link-issue.ts';
import { type DueIssues, dueIssues } from '#shared/model/due.ts';
import { EventCommit } from '#shared/model/events/domain-event.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { endedRuns, getEndedRunsSpan } from '#shared/model/issues/issue-automation.ts';
import { getProjectIssuesSpan, knownIssues } from '#shared/model/issues/known-issue.ts';
import { archivedRules, getArchivedRulesSpan, getRulesSpan, rules } from '#shared/model/rules/rule.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import type { Services } from '#shared/services.ts';
import type { Received } from '#test/harness/receiver.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, type TestState, testIdOf } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { GithubIssues } from '#test/harness/trackers/github.ts';
import type { Answer } from '#test/harness/trackers/stand-in.ts';

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;
export const SUM = 'cart.spec.ts > cart > sums';
export const ROUND = 'cart.spec.ts > cart > rounds';

/** A fake GitHub that can refuse every change to an issue. */
class Tracker extends GithubIssues {
  refusesChanges = false;

  protected override answerTo(received: Received): Answer {
    if (this.refusesChanges && received.method === 'PATCH')
      return { status: 422, body: { message: 'Validation Failed' } };
    return super.answerTo(received);
  }
}

/** `changes` are automation settings that differ from the defaults. If there are any, issues go to the fake tracker. */
export async function stage(changes: Partial<AutomationSettings> = {}) {
  const tenant = await service();
  const tracker = await new Tracker().start();
  const services = { ...tenant.services, ...connectTrackers(tenant.environment)() };
  const { organizationId, projectId } = tenant;
  const { table } = services;
  const project = { organizationId, projectId, actor: OPERATOR };
  const settings: IntegrationSettings = {
    kind: tracker.kind,
    name: 'Issues of the shop',
    apiUrl: tracker.url,
    account: undefined,
    token: tracker.token,
    projectIds: undefined,
  };
  const request = { organizationId, actor: OPERATOR };
  const { integrationId } = await saveIntegration(services, { ...request, integrationId: undefined, settings });
  const target = { integrationId, trackerProjectId: tracker.project };
  const change = async (more: Partial<AutomationSettings>) =>
    changeAutomation(services, { ...project, settings: { ...(await readAutomation(services, project)), ...more } });
  if (Object.keys(changes).length > 0) await change({ target, ...changes });
  onTestFinished(() => forgetDueRows({ table }));

  let builds = 0;
  /** Advances the clock by a minute, records a complete run, and reports its end as the event bus does. */
  const run = async (tests: Readonly<Record<string, TestState>>, branch = 'main') => {
    clock.advance(MINUTE);
    builds += 1;
    const commit = { ...COMMIT, branch };
    const recorded = await uploadRun(tenant, tests, { ciBuildId: `build-${builds}`, commit });
    const event = {
      organizationId,
      projectId,
      runId: recorded.runId,
      runCreatedAt: Date.now(),
      ending: 'finish',
    } as const;
    await rememberEndedRun(services, { ...event, commit: EventCommit.parse({ ...commit, defaultBranch: null }) });
    return recorded;
  };
  const noticed = () => table.queryAll(endedRuns, getEndedRunsSpan(project), { consistent: true });
  /** Advances the clock until the schedule is due to look at the ended runs of the project, and runs the schedule. */
  const pass = async () => {
    clock.advance(5 * MINUTE + 1000);
    return tenant.runSchedule('trackIssues');
  };
  /** Records runs, and lets the schedule look at all of them together. */
  const looked = async (...all: readonly Readonly<Record<string, TestState>>[]) => {
    for (const tests of all) await run(tests);
    await pass();
  };
  const failureIn = ({ instances }: Awaited<ReturnType<typeof run>>, test = SUM) => ({
    instanceId: instances['retail cart.spec.ts'] ?? '',
    testId: testIdOf('retail', test),
  });
  const issues = () => table.queryAll(knownIssues, getProjectIssuesSpan(project), { consistent: true });
  return {
    ...tenant,
    services,
    project,
    tracker,
    integrationId,
    target,
    change,
    run,
    pass,
    looked,
    noticed,
    due: () => dueRows({ table }),
    issues,
    failureIn,
    create: (recorded: Awaited<ReturnType<typeof run>>, test = SUM) =>
      createIssue(services, { ...project, input: { ...failureIn(recorded, test), ...target } }),
    link: (recorded: Awaited<ReturnType<typeof run>>, issueKey: string, test = SUM) =>
      linkIssue(services, {
        ...project,
        input: { ...failureIn(recorded, test), integrationId, issueKey, includeContextInComment: true },
      }),
    connection: () => table.get(integrations, { organizationId, integrationId }, { consistent: true }),
    rulesNow: () => table.queryAll(rules, getRulesSpan(project), { consistent: true }),
    archivedNow: () => table.queryAll(archivedRules, getArchivedRulesSpan(project), { consistent: true }),
    /** The requests to the tracker since the last call, such as `POST /repos/acme/shop/issues`. */
    sent: () => tracker.received.splice(0).map(({ method, path }) => `${method} ${path.replace('/api/v3', '')}`),
  };
}

/** Does what `stage` does, and creates an issue for a failure of `SUM` on behalf of the operator. */
export async function stageWithIssue(changes: Partial<AutomationSettings> = {}) {
  const here = await stage(changes);
  const recorded = await here.run({ [SUM]: failed(), [ROUND]: failed() });
  const { issue } = await here.create(recorded);
  here.sent();
  return { ...here, recorded, issue };
}

async function dueRows({ table }: Pick<Services, 'table'>): Promise<DueIssues[]> {
  const shards = Array.from({ length: dueIssues.shards }, (_, shard) => dueIssues.span(shard, Number.MAX_SAFE_INTEGER));
  const rows = await Promise.all(shards.map((span) => table.queryAll(dueIssues, span, { consistent: true })));
  return rows.flat();
}

/** Removes the due rows, because other tests of the file use the same table at an earlier time. */
const forgetDueRows = async (services: Pick<Services, 'table'>): Promise<void> =>
  services.table.writeMany((await dueRows(services)).map((row) => remove(dueIssues, row)));
