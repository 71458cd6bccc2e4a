/** Writes the gate of a commit as a status of its own, if the project has one. */
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { findProject } from '#shared/find-project.ts';
import type { GateVerdict } from '#shared/gate/gate-wire.ts';
import { judgeRun, listGateRules } from '#shared/gate/judge-run.ts';
import type { HostNotification } from '#shared/model/events/notification.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { getRunsOfCommitSpan, type RunOfCommit, runsOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { takeTurn } from '#shared/notifications/take-turn.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import type { Services } from '#shared/services.ts';
import type { CommitStatus, HostApi } from './host-api.ts';

interface GateReport {
  readonly notification: HostNotification;
  readonly run: Run;
  readonly sha: string;
}

export async function writeGateStatus(
  services: Services,
  api: HostApi,
  { notification, run, sha }: GateReport,
): Promise<void> {
  const rules = listGateRules(await findProject(services, run));
  if (rules.length === 0) return;
  const turn = { receiver: notification, target: composeKey('gate', sha), run, isAboutRun: false };
  const read = async () => {
    const verdict = await judgeCommit(services, run, sha);
    const status = {
      url: verdict.runUrl,
      name: `${notification.context} gate`,
      state: STATES[verdict.state],
      description: describeVerdict(verdict),
    };
    return { runId: verdict.runId, status, text: JSON.stringify(status) };
  };
  await takeTurn(services, turn, read, async (_, { status }) => {
    await api.host.writeStatus(api, sha, status);
    return {};
  });
}

const STATES = {
  waiting: 'running',
  passed: 'success',
  failed: 'failure',
} as const satisfies Readonly<Record<GateVerdict['state'], CommitStatus['state']>>;

const PASSED = { noNewFailures: 'no new failures', noMissingTests: 'no missing tests' } as const;

function describeVerdict({ state, rules, reasons }: GateVerdict): string {
  const parts = state === 'passed' ? rules.map((rule) => PASSED[rule]) : reasons.map(({ message }) => message);
  const text = parts.join(', ');
  return takeFirstCharacters(`${text.charAt(0).toUpperCase()}${text.slice(1)}`, NOTIFICATION_LIMITS.statusCharacters);
}

/** The worst verdict of the builds of a commit. A later build replaces those with the same groups. */
async function judgeCommit(services: Services, run: Run, sha: string): Promise<GateVerdict> {
  const options = { consistent: true, limit: RESULT_LIMITS.commit.runs, newestFirst: true };
  const { rows } = await services.table.query(runsOfCommit, getRunsOfCommitSpan({ ...run, sha }), options);
  const newestRuns = pickNewestBuilds(rows.map(({ item }) => item)).slice(0, RESULT_LIMITS.gate.runs);
  const all = newestRuns.length > 0 ? newestRuns : [run];
  const verdicts: GateVerdict[] = [];
  for (const { organizationId, runId } of all)
    verdicts.push(await judgeRun(services, { organizationId, runId, query: {} }));
  const [first] = verdicts;
  const worstVerdict = (['failed', 'waiting'] as const)
    .map((state) => verdicts.find((verdict) => verdict.state === state))
    .find((verdict) => verdict !== undefined);
  return worstVerdict ?? first ?? judgeRun(services, { ...run, query: {} });
}

/** `all`: newest first. The newest try of a build shows all of its tries, whose groups are those of the first one. */
function pickNewestBuilds(all: readonly RunOfCommit[]): RunOfCommit[] {
  const builds = Map.groupBy(all, ({ tryOf, runId }) => tryOf?.build ?? runId);
  const byGroups = new Map<string, RunOfCommit>();
  for (const tries of builds.values()) {
    const [newestTry] = tries;
    if (!newestTry) continue;
    const groups = tries.at(-1)?.groups ?? newestTry.runId;
    if (!byGroups.has(groups)) byGroups.set(groups, newestTry);
  }
  return [...byGroups.values()];
}
