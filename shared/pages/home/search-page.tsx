/** The results of a search: tests, runs, spec files and pages, in one project or in the projects of an organization. */
import { may } from '#shared/access/may.ts';
import type { ErrorRow } from '#shared/analytics/metrics/errors-wire.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { Ago, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { IconName } from '#shared/pages/design/icons.ts';
import { getRunOutcome, OutcomeMark } from '#shared/pages/design/outcome.tsx';
import { EmptyState, GroupHead, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { CommitLinks } from '#shared/pages/shell/commit-links.tsx';
import {
  addQuery,
  linkToOrganization,
  linkToProjectPage,
  linkToRun,
  linkToRuns,
  linkToSearch,
  linkToTest,
} from '#shared/pages/shell/hrefs.ts';
import { listAllowedPages } from '#shared/pages/shell/layout.tsx';
import { LIST_DAYS } from '#shared/pages/shell/limits.ts';
import { getRunTitle } from '#shared/pages/shell/run-row.tsx';
import { parseSearch } from '#shared/results/contains.ts';
import type { SearchResults } from '#shared/search/search-wire.ts';
import type { OrganizationVisit, ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: OrganizationVisit | ProjectVisit;
  /** The text to search for. Empty before the first search. */
  readonly text: string;
  readonly found: readonly {
    readonly project: { readonly projectId: string; readonly name: string };
    readonly results: SearchResults;
  }[];
  /** Projects whose name matches, or all before a search. */
  readonly projects?: readonly { readonly projectId: string; readonly name: string }[];
  /** Whether the organization has more projects than one search covers. */
  readonly isPartial?: boolean;
  /** The most frequent errors of the project that match. */
  readonly errors?: readonly FoundError[];
  readonly now: number;
}

const pickErrorKeys = ({ message, target, action, category }: FoundError) => ({
  message: message ?? '',
  target: target ?? undefined,
  action: action ?? undefined,
  category: category ?? undefined,
});

type FoundError = Pick<ErrorRow, 'message' | 'target' | 'action' | 'category' | 'count' | 'tests' | 'lastSeen'>;

export function SearchPage({ visit, text, found, projects = [], errors = [], isPartial = false, now }: Props): Html {
  const isOfProject = 'project' in visit;
  const everywhere = linkToSearch({ ...visit, projectId: undefined }, text);
  const pages =
    text === '' ? [] : listAllowedPages(visit).filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const groups = found.filter(({ results }) => Object.values(results).some(({ data }) => data.length > 0));
  return (
    <>
      <PageHead
        title="Search"
        actions={
          isOfProject && (
            <a class="button quiet" href={everywhere}>
              <Icon name="layers" />
              Search all projects
            </a>
          )
        }
      />
      <search>
        <form class="filter-bar" method="get" action={linkToSearch(visit)}>
          <div class="search-field">
            <Icon name="search" />
            <input
              type="search"
              name="q"
              value={text}
              placeholder="Words from a title, file, build or commit"
              aria-label={isOfProject ? `Search ${visit.project.name}` : 'Search all projects'}
            />
          </div>
          <button type="submit">Search</button>
        </form>
      </search>
      <div id="results">
        {projects.length > 0 && (
          <ResultPanel title="Projects" id="projects">
            {projects.map(({ projectId, name }) => (
              <Result
                icon="layers"
                href={linkToRuns({ ...visit, projectId })}
                name={<Marked text={name} words={text} />}
              />
            ))}
          </ResultPanel>
        )}
        {groups.map(({ project, results }) => (
          <>
            {!isOfProject && <GroupHead title={project.name} />}
            <Results visit={{ ...visit, projectId: project.projectId }} text={text} results={results} now={now} />
          </>
        ))}
        {isOfProject && errors.length > 0 && (
          <ResultPanel title="Errors" note={`last ${LIST_DAYS} days`}>
            {errors.map((error) => (
              <Result
                icon="bug"
                href={addQuery(linkToProjectPage(visit, 'errors', 'one'), pickErrorKeys(error))}
                name={<Marked text={error.message ?? ''} words={text} />}
                meta={
                  <>
                    {error.target && <Marked text={error.target} words={text} />}{' '}
                    {formatQuantity(error.count, 'occurrence')} in {formatQuantity(error.tests, 'test')}, last{' '}
                    <Ago at={error.lastSeen} now={now} />
                  </>
                }
              />
            ))}
          </ResultPanel>
        )}
        {pages.length > 0 && (
          <ResultPanel title="Pages">
            {pages.map(({ name, icon, href }) => (
              <Result icon={icon} href={href} name={<Marked text={name} words={text} />} />
            ))}
          </ResultPanel>
        )}
        {text !== '' && groups.length + pages.length + projects.length + errors.length === 0 && (
          <EmptyState icon="search" title="Nothing found">
            <p>
              Each search word must be part of a test’s title or file or of an error, or the beginning of a word in a
              run’s build, commit, branch, author or pull request. Quotes join words to a phrase, and a minus before a
              word excludes it. The search finds only runs that have ended.
            </p>
            <a class="button quiet" href={isOfProject ? everywhere : linkToOrganization(visit)}>
              {isOfProject ? 'Search all projects' : 'All projects'}
            </a>
          </EmptyState>
        )}
        {isOfProject && text !== '' && <Further visit={visit} text={text} />}
        {isPartial && (
          <p class="soft">
            Not all projects of the organization were searched. To search another project, open it first.
          </p>
        )}
      </div>
    </>
  );
}

/** These lists of errors and runs contain items that the search does not find. */
const Further = ({ visit, text }: { readonly visit: ProjectVisit; readonly text: string }): Html => (
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

interface ResultsProps extends Pick<Props, 'text' | 'now'> {
  readonly visit: OrganizationVisit & { readonly projectId: string };
  readonly results: SearchResults;
}

const Results = ({ visit, text, results: { tests, runs, specFiles }, now }: ResultsProps): Html => (
  <>
    {tests.data.length > 0 && (
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
    )}
    {runs.data.length > 0 && (
      <ResultPanel title="Runs" note={runs.has_more && 'newest'}>
        {runs.data.map((run) => (
          <li>
            <OutcomeMark {...getRunOutcome(run)} />
            <div class="grow">
              <a class="whole-link" href={linkToRun(visit, run.runId)}>
                <Marked text={getRunTitle(run.meta)} words={text} />
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
    )}
    {specFiles.data.length > 0 && may(visit.person, 'analytics:read') && (
      <ResultPanel title="Spec files" note={specFiles.has_more && 'best matches'}>
        {specFiles.data.map(({ spec, signature }) => (
          <Result
            icon="file-code"
            href={linkToProjectPage(visit, 'spec-files', signature)}
            name={<Marked text={spec} words={text} />}
          />
        ))}
      </ResultPanel>
    )}
  </>
);

const ResultPanel = ({
  title,
  note,
  id,
  children,
}: {
  readonly title: string;
  readonly note?: Child;
  readonly id?: string;
  readonly children?: Child;
}) => (
  <Panel title={title} note={note} {...(id === undefined ? {} : { id })} isFlush>
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

/** If the conversion to lower case changes the length of a text, its positions do not match, so nothing is marked. */
function Marked({ text, words }: { readonly text: string; readonly words: string }): Html {
  const lowerText = text.toLowerCase();
  const searchWords = parseSearch(words).included;
  if (lowerText.length !== text.length) return <>{text}</>;
  const isMarked = new Uint8Array(text.length);
  for (const word of searchWords) {
    for (let at = lowerText.indexOf(word); at !== -1; at = lowerText.indexOf(word, at + word.length))
      isMarked.fill(1, at, at + word.length);
  }
  const parts: Child[] = [];
  for (let from = 0, to = 0; from < text.length; from = to) {
    while (to < text.length && isMarked[to] === isMarked[from]) to += 1;
    const part = text.slice(from, to);
    parts.push(isMarked[from] ? <mark>{part}</mark> : part);
  }
  return <>{parts}</>;
}
