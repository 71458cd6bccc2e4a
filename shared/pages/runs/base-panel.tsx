/** The panel of a run that says with which earlier run, the base run, it is compared, and lets people choose another. */
import type { Html } from '#shared/engine/html/html.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { Ago, FullTime, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { Notice, Panel } from '#shared/pages/design/parts.tsx';
import { formatRunName, isMadeUpBuildId } from '#shared/pages/design/run-name.ts';
import { DAY } from '#shared/pages/design/time-units.ts';
import { getCommitTitle, shortenSha } from '#shared/pages/shell/commit-names.ts';
import { linkToProjectSettings, linkToRun } from '#shared/pages/shell/hrefs.ts';
import type { BaseChoice } from '#shared/results/comparisons/choose-base.ts';
import type { ComparedOrProblem } from '#shared/results/comparisons/compare-runs.ts';
import type { ComparisonQuery, RunComparison } from '#shared/results/comparisons/comparison-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly compared: ComparedOrProblem;
  readonly query: Pick<ComparisonQuery, 'base_run_id'>;
  readonly run: { readonly runId: string; readonly createdAt: string };
  /** Whether the project has tests of other branches, but none of its default branch. */
  readonly isDefaultUnused: boolean;
  /** What the person entered to choose another base. */
  readonly enteredBase: string | undefined;
  /** The runs to choose from. `undefined` until the person asks for them. */
  readonly choices: readonly BaseChoice[] | undefined;
  readonly now: number;
}

export function BasePanel({ visit, compared, query, run, isDefaultUnused, enteredBase, choices, now }: Props): Html {
  const { comparison, problem } = compared;
  const { base, baseBranch, runId } = comparison;
  const isChosen = query.base_run_id !== undefined || enteredBase !== undefined;
  return (
    <Panel title="Compared with" id="base">
      {base ? (
        <Base visit={visit} base={base} run={run} />
      ) : (
        <p class="soft">
          Nothing to compare with: the branch <code>{baseBranch}</code> has no earlier complete run with the same
          groups.
        </p>
      )}
      {!base && isDefaultUnused && (
        <Notice tone="flaky">
          No run of this project is on its default branch <code>{baseBranch}</code>, so no run can be compared. If your
          default branch has another name, <a href={linkToProjectSettings(visit)}>change it in the settings</a>.
        </Notice>
      )}
      {isChosen && (
        <p>
          <a href={linkToRun(visit, runId)}>Compare with the latest earlier run of {baseBranch} with the same groups</a>
        </p>
      )}
      {base && !isChosen && <p class="soft">The latest earlier complete run of {baseBranch} with the same groups.</p>}
      {choices === undefined && problem === undefined ? (
        <p>
          <a href={`${linkToRun(visit, runId, { choose: 'base' })}#base`}>Choose another run</a>
        </p>
      ) : (
        <>
          {problem !== undefined && (
            <Notice tone="failed" isAlert>
              <strong>The chosen run cannot be used.</strong> The failures are compared with the latest earlier complete
              run of the default branch with the same groups, if there is one.
            </Notice>
          )}
          <BaseChoices visit={visit} runId={runId} choices={choices ?? []} now={now} />
          <form class="filters" method="get" action={linkToRun(visit, runId)} aria-label="Compare with another run">
            <TextField
              label="Address, build or commit"
              name="base"
              value={enteredBase ?? query.base_run_id}
              hint={problem?.message ?? 'Of a complete run: the address of its page, its build, or its commit'}
            />
            <button type="submit" class="quiet">
              Compare
            </button>
          </form>
        </>
      )}
    </Panel>
  );
}

type ComparedBase = NonNullable<RunComparison['base']>;

function Base({ visit, base, run }: Pick<Props, 'visit' | 'run'> & { readonly base: ComparedBase }): Html {
  const build = isMadeUpBuildId(base.ciBuildId) ? undefined : base.ciBuildId;
  return (
    <>
      <p>
        <OutcomeMark outcome={base.status === 'PASSED' ? 'passed' : 'failed'} />{' '}
        <a href={linkToRun(visit, base.runId)}>{formatRunName(base)}</a>
      </p>
      <p class="soft">
        {[base.branch, base.sha && shortenSha(base.sha), build].filter(Boolean).join(' · ')} ·{' '}
        <FullTime at={base.createdAt} />
      </p>
      <BaseAge milliseconds={Date.parse(run.createdAt) - Date.parse(base.createdAt)} />
    </>
  );
}

/** An older base may differ in more than this change. */
const OLD_DAYS = 2;

function BaseAge({ milliseconds }: { readonly milliseconds: number }): Html {
  const days = Math.floor(Math.abs(milliseconds) / DAY);
  const age = days > 0 ? formatQuantity(days, 'day') : formatDuration(Math.abs(milliseconds));
  const tone = days >= OLD_DAYS ? 'word flaky' : 'soft';
  if (milliseconds >= 0) return <p class={tone}>{age} older than this run</p>;
  return (
    <p class={tone}>
      {age} newer than this run. “New” failures are those that it does not have, and “fixed” those that only it has
    </p>
  );
}

const REASONS: Readonly<Record<BaseChoice['reason'], string>> = {
  branch: 'previous of this branch',
  default: 'latest of the default branch',
  commit: 'same commit',
  other: 'latest of its branch',
};

const BaseChoices = ({
  visit,
  runId,
  choices,
  now,
}: Pick<Props, 'visit' | 'now'> & { readonly runId: string; readonly choices: readonly BaseChoice[] }): Html =>
  choices.length === 0 ? (
    <></>
  ) : (
    <ul class="rows" aria-label="Runs to compare with">
      {choices.map(({ run, reason }) => (
        <li>
          <OutcomeMark outcome={run.status === 'PASSED' ? 'passed' : 'failed'} size="small" />
          <div class="grow">
            <a href={linkToRun(visit, runId, { base_run_id: run.runId })}>
              {getCommitTitle(run.commit) || run.ciBuildId}
            </a>
            <div class="meta">
              <span>{REASONS[reason]}</span>
              <span>
                {[run.commit.branch, run.commit.sha && shortenSha(run.commit.sha)].filter(Boolean).join(' · ')}
              </span>
              <Ago at={run.createdAt} now={now} />
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
