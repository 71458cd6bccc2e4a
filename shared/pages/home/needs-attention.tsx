/** What is wrong on the default branches of the projects: failed tests, and runs that took much longer than usual. */
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Ago, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { Avatar, GroupHead } from '#shared/pages/design/parts.tsx';
import { shortenSha } from '#shared/pages/shell/commit-names.ts';
import { linkToRun, linkToRunPage, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { formatRunDuration, UsualDuration } from '#shared/pages/shell/run-row.tsx';
import type { ComparedTest } from '#shared/results/comparisons/comparison-wire.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import type { ProjectWithRuns } from '#shared/results/runs/latest-runs.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

/** A project whose default branch fails, with some of the failed tests. */
export interface FailingProject {
  readonly project: ProjectWithRuns['project'];
  readonly last: NonNullable<ProjectSummary['last']>;
  readonly tests: readonly ComparedTest[];
}

/** The latest complete run of the default branch, if it was slow. */
export interface SlowRun {
  readonly project: ProjectWithRuns['project'];
  readonly run: ProjectWithRuns['runs'][number];
  /** The duration as a multiple of the usual one. */
  readonly times: number;
}

interface Props {
  readonly visit: OrganizationVisit;
  readonly failing: readonly FailingProject[];
  readonly slow: readonly SlowRun[];
  readonly now: number;
}

/** Renders nothing if all is well. */
export function NeedsAttention({ visit, failing, slow, now }: Props): Html {
  if (failing.length + slow.length === 0) return <></>;
  return (
    <>
      <GroupHead title="Needs attention" note="on the default branches" />
      <section class="panel" aria-label="Needs attention">
        <ul class="rows whole">
          {failing.map((one) => (
            <FailingRows visit={visit} failing={one} now={now} />
          ))}
          {slow.map((one) => (
            <SlowRunRow visit={visit} slow={one} />
          ))}
        </ul>
      </section>
    </>
  );
}

const SlowRunRow = ({
  visit,
  slow: { project, run, times },
}: Pick<Props, 'visit'> & { readonly slow: SlowRun }): Html => (
  <li>
    <Icon name="clock" size="large" />
    <div class="grow">
      <a class="whole-link" href={linkToRunPage({ ...visit, ...project }, run.runId, 'timeline')}>
        The latest complete run took much longer than usual
      </a>
      <div class="meta">
        <span>in {project.name}</span>
        <span>{formatRunDuration(run)}</span>
        <UsualDuration times={times} />
      </div>
    </div>
  </li>
);

interface FailingProps extends Pick<Props, 'visit' | 'now'> {
  readonly failing: FailingProject;
}

const FailingRows = ({ visit, failing: { project, last, tests }, now }: FailingProps): Html => {
  const at = { ...visit, projectId: project.projectId };
  // A test may fail in several groups, for example in several browsers. Such a test is listed only once.
  const bySignature = [...Map.groupBy(tests, ({ signature }) => signature).values()];
  const visibleTests = bySignature.slice(0, RESULT_LIMITS.attention.tests);
  const others = last.failures - visibleTests.flat().length;
  return (
    <>
      {visibleTests.map((results) => (
        <FailingTest at={at} name={project.name} results={results} now={now} />
      ))}
      {others > 0 && (
        <li>
          <OutcomeMark outcome="failed" />
          <div class="grow">
            <a class="whole-link" href={linkToRun(at, last.runId)}>
              {formatQuantity(others, tests.length === 0 ? 'test' : 'more test')} {others === 1 ? 'is' : 'are'} failing
              on {project.defaultBranchName}
            </a>
            <div class="meta">
              <span>in {project.name}</span>
            </div>
          </div>
        </li>
      )}
    </>
  );
};

interface FailingTestProps {
  readonly at: OrganizationVisit & { readonly projectId: string };
  readonly name: string;
  /** The failed results of one test. There are several if it failed in several groups. */
  readonly results: readonly ComparedTest[];
  readonly now: number;
}

const FailingTest = ({ at, name, results, now }: FailingTestProps): Html => {
  const [test] = results;
  if (!test) return <></>;
  const { title, error, failingSince } = test;
  return (
    <li>
      <OutcomeMark outcome="failed" />
      <div class="grow">
        <a class="whole-link" href={linkToTestOfRun(at, test)}>
          {title.length > 1 && <span class="soft">{title.slice(0, -1).join(' › ')} › </span>}
          {title.at(-1)}
        </a>
        <div class="meta">
          <span>in {name}</span>
          <span>
            <code>{test.spec}</code>
          </span>
          {results.length > 1 && <span>{results.map(({ groupId }) => groupId).join(', ')}</span>}
          {failingSince && (
            <span>
              failed in {formatQuantity(failingSince.failures, 'run')},{failingSince.failures > 1 && ' first'}{' '}
              <Ago at={failingSince.createdAt} now={now} />
            </span>
          )}
          {failingSince?.authorName && (
            <span>
              <Avatar name={failingSince.authorName} />
              {failingSince.authorName}
            </span>
          )}
          {failingSince?.sha && <code>{shortenSha(failingSince.sha)}</code>}
          {error !== null && <code class="whole-row">{error}</code>}
        </div>
      </div>
    </li>
  );
};
