/** What a search found: a panel for each kind of result. */
import { may } from '#shared/access/may.ts';
import type { ErrorRow } from '#shared/analytics/metrics/errors-wire.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { Ago, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';
import { getRunName } from '#shared/pages/design/run-name.ts';
import { getRunOutcome } from '#shared/pages/design/run-outcome.ts';
import { CommitLinks } from '#shared/pages/shell/commit-links.tsx';
import {
  addQuery,
  linkToError,
  linkToProjectPage,
  linkToPullRequests,
  linkToRun,
  linkToRuns,
  linkToTest,
} from '#shared/pages/shell/hrefs.ts';
import { LIST_DAYS } from '#shared/pages/shell/limits.ts';
import type { SearchResults } from '#shared/search/search-wire.ts';
import type { OrganizationVisit, ProjectVisit } from '#shared/sign-in/visit.ts';
import { Marked } from './marked-text.tsx';

export interface NamedProject {
  readonly projectId: string;
  readonly name: string;
  /** When its data will be removed, if it was deleted. */
  readonly deletesAt?: string | number | undefined;
}

interface ProjectsProps {
  readonly visit: OrganizationVisit | ProjectVisit;
  readonly text: string;
  readonly projects: readonly NamedProject[];
}

const deletedLast = (projects: readonly NamedProject[]): readonly NamedProject[] =>
  projects.toSorted((one, other) => Number(one.deletesAt !== undefined) - Number(other.deletesAt !== undefined));

/** The switcher of projects shows these links, too. */
export const ProjectResults = ({ visit, text, projects }: ProjectsProps): Html => (
  <ResultPanel title="Projects" id="projects">
    {deletedLast(projects).map(({ projectId, name, deletesAt }) => (
      <Result
        icon="layers"
        href={linkToRuns({ ...visit, projectId })}
        name={
          <>
            <Marked text={name} words={text} />
            {deletesAt !== undefined && (
              <>
                {' '}
                <small>deleted</small>
              </>
            )}
          </>
        }
      />
    ))}
  </ResultPanel>
);

export type FoundError = Pick<ErrorRow, 'message' | 'target' | 'action' | 'category' | 'count' | 'tests' | 'lastSeen'>;

interface ErrorsProps {
  readonly visit: ProjectVisit;
  readonly text: string;
  readonly errors: readonly FoundError[];
  readonly now: number;
}

export const ErrorResults = ({ visit, text, errors, now }: ErrorsProps): Html => (
  <ResultPanel title="Errors" note={`last ${LIST_DAYS} days`}>
    {errors.map((error) => (
      <Result
        icon="bug"
        href={linkToError(visit, { ...error, message: error.message ?? '' })}
        name={<Marked text={error.message ?? ''} words={text} />}
        meta={
          <>
            {error.target && <Marked text={error.target} words={text} />} {formatQuantity(error.count, 'occurrence')} in{' '}
            {formatQuantity(error.tests, 'test')}, last <Ago at={error.lastSeen} now={now} />
          </>
        }
      />
    ))}
  </ResultPanel>
);

interface PagesProps {
  readonly text: string;
  readonly pages: readonly { readonly name: string; readonly icon: IconName; readonly href: string }[];
}

export const PageResults = ({ text, pages }: PagesProps): Html => (
  <ResultPanel title="Pages">
    {pages.map(({ name, icon, href }) => (
      <Result icon={icon} href={href} name={<Marked text={name} words={text} />} />
    ))}
  </ResultPanel>
);

/** Links to the lists of errors and runs, which contain items that the search does not find. */
export const OtherSearches = ({ visit, text }: { readonly visit: ProjectVisit; readonly text: string }): Html => (
  <ResultPanel title="Search other lists">
    {may(visit.person, 'analytics:read') && (
      <Result
        icon="bug"
        href={addQuery(linkToProjectPage(visit, 'errors'), { error_message: text })}
        name={<>Errors whose message contains “{text}”</>}
      />
    )}
    <Result
      icon="circle-play"
      href={linkToRuns(visit, { search: text })}
      name={<>Runs whose build id or commit message contains “{text}”, including runs in progress</>}
    />
  </ResultPanel>
);

type VisitOfResults = OrganizationVisit & { readonly projectId: string };

interface PullRequestProps {
  readonly visit: VisitOfResults;
  readonly number: string;
}

export const PullRequestResult = ({ visit, number }: PullRequestProps): Html => (
  <ResultPanel title="Pull requests">
    <Result icon="git-pull-request" href={linkToPullRequests(visit, number)} name={<mark>#{number}</mark>} />
  </ResultPanel>
);

interface RecordedResultsProps {
  readonly visit: VisitOfResults;
  readonly text: string;
  readonly results: SearchResults;
  readonly now: number;
}

/** The tests, runs and spec files of one project. */
export const RecordedResults = ({
  visit,
  text,
  results: { tests, runs, specFiles },
  now,
}: RecordedResultsProps): Html => (
  <>
    {tests.data.length > 0 && <TestResults visit={visit} text={text} tests={tests} />}
    {runs.data.length > 0 && <RunResults visit={visit} text={text} runs={runs} now={now} />}
    {specFiles.data.length > 0 && may(visit.person, 'analytics:read') && (
      <SpecFileResults visit={visit} text={text} specFiles={specFiles} />
    )}
  </>
);

type PartProps<Part extends keyof SearchResults> = Pick<RecordedResultsProps, 'visit' | 'text'> &
  Pick<SearchResults, Part>;

const TestResults = ({ visit, text, tests }: PartProps<'tests'>): Html => (
  <ResultPanel title="Tests" note={tests.has_more && 'best matches'}>
    {tests.data.map(({ titlePath, spec, signature }) => (
      <Result
        icon="list-checks"
        href={linkToTest(visit, signature)}
        path={titlePath.slice(0, -1).join(' › ')}
        name={<Marked text={titlePath.at(-1) ?? ''} words={text} />}
        meta={<Marked text={spec} words={text} />}
      />
    ))}
  </ResultPanel>
);

/** Each run with its outcome and commit, as in the list of runs. */
const RunResults = ({ visit, text, runs, now }: PartProps<'runs'> & { readonly now: number }): Html => (
  <ResultPanel title="Runs" note={runs.has_more && 'newest'}>
    {runs.data.map((run) => (
      <li>
        <OutcomeMark {...getRunOutcome(run)} />
        <div class="grow">
          <a class="whole-link" href={linkToRun(visit, run.runId)}>
            <Marked text={getRunName(run)} words={text} />
          </a>
          <div class="meta">
            <CommitLinks visit={visit} commit={run.meta.commit} pr={run.meta.pr} />
            <code>{run.meta.ciBuildId}</code>
          </div>
        </div>
        <span class="soft">
          <Ago at={run.createdAt} now={now} />
        </span>
      </li>
    ))}
    {runs.has_more && (
      <li>
        <a href={linkToRuns(visit, { search: text })}>Runs with this text in their commit message or build id</a>
      </li>
    )}
  </ResultPanel>
);

const SpecFileResults = ({ visit, text, specFiles }: PartProps<'specFiles'>): Html => (
  <ResultPanel title="Spec files" note={specFiles.has_more && 'best matches'}>
    {specFiles.data.map(({ spec, signature }) => (
      <Result
        icon="file-code"
        href={linkToProjectPage(visit, 'spec-files', signature)}
        name={<Marked text={spec} words={text} />}
      />
    ))}
  </ResultPanel>
);

interface PanelProps {
  readonly title: string;
  readonly note?: Child;
  readonly id?: string | undefined;
  readonly children?: Child;
}

const ResultPanel = ({ title, note, id, children }: PanelProps): Html => (
  <Panel title={title} note={note} id={id} isFlush>
    <ul class="rows whole">{children}</ul>
  </Panel>
);

interface ResultProps {
  readonly icon: IconName;
  readonly href: string;
  /** The suites of a test. */
  readonly path?: string;
  readonly name: Html;
  readonly meta?: Html;
}

const Result = ({ icon, href, path, name, meta }: ResultProps): Html => (
  <li>
    <Icon name={icon} />
    <div class="grow">
      <a class="whole-link" href={href}>
        {path && <span class="path">{path} › </span>}
        {name}
      </a>
      {meta && (
        <div class="meta">
          <span>
            <code>{meta}</code>
          </span>
        </div>
      )}
    </div>
  </li>
);
