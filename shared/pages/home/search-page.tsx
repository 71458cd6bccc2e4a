/** The results of a search: tests, runs, spec files and pages, in one project or in the projects of an organization. */
import type { Html } from '#shared/engine/html/html.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, GroupHead, PageHead } from '#shared/pages/design/parts.tsx';
import { linkToOrganization, linkToSearch } from '#shared/pages/shell/hrefs.ts';
import { listAllowedPages } from '#shared/pages/shell/navigation.tsx';
import type { SearchResults } from '#shared/search/search-wire.ts';
import type { OrganizationVisit, ProjectVisit } from '#shared/sign-in/visit.ts';
import {
  ErrorResults,
  type FoundError,
  type NamedProject,
  OtherSearches,
  PageResults,
  ProjectResults,
  PullRequestResult,
  RecordedResults,
} from './search-results.tsx';

interface Props {
  readonly visit: OrganizationVisit | ProjectVisit;
  /** The text to search for. Empty before the first search. */
  readonly text: string;
  readonly resultsByProject: readonly {
    readonly project: NamedProject;
    /** The number of the pull request, if the text is one. */
    readonly pullRequest: string | undefined;
    readonly results: SearchResults;
  }[];
  /** Projects whose name matches, or all before a search. */
  readonly projects?: readonly NamedProject[];
  /** Whether the organization has more projects than one search covers. */
  readonly isPartial?: boolean;
  /** The most frequent errors of the project that match. */
  readonly errors?: readonly FoundError[];
  readonly now: number;
}

export function SearchPage(props: Props): Html {
  const { visit, text, resultsByProject, projects = [], errors = [], isPartial = false, now } = props;
  const isOfProject = 'project' in visit;
  const lowerText = text.toLowerCase();
  const pages = text === '' ? [] : listAllowedPages(visit).filter(({ name }) => name.toLowerCase().includes(lowerText));
  const groups = resultsByProject.filter(
    ({ pullRequest, results }) =>
      pullRequest !== undefined || Object.values(results).some(({ data }) => data.length > 0),
  );
  const resultCount = groups.length + pages.length + projects.length + errors.length;
  return (
    <>
      <PageHead
        title="Search"
        actions={
          isOfProject && (
            <a class="button quiet" href={linkToSearchOfAllProjects({ visit, text })}>
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
        {projects.length > 0 && <ProjectResults visit={visit} text={text} projects={projects} />}
        {groups.map(({ project, pullRequest, results }) => (
          <>
            {!isOfProject && <GroupHead title={project.name} />}
            {pullRequest !== undefined && (
              <PullRequestResult visit={{ ...visit, projectId: project.projectId }} number={pullRequest} />
            )}
            <RecordedResults
              visit={{ ...visit, projectId: project.projectId }}
              text={text}
              results={results}
              now={now}
            />
          </>
        ))}
        {isOfProject && errors.length > 0 && <ErrorResults visit={visit} text={text} errors={errors} now={now} />}
        {pages.length > 0 && <PageResults text={text} pages={pages} />}
        {text !== '' && resultCount === 0 && <NothingFound visit={visit} text={text} />}
        {isOfProject && text !== '' && <OtherSearches visit={visit} text={text} />}
        {isPartial && (
          <p class="soft">
            Not all projects of the organization were searched. To search another project, open it first.
          </p>
        )}
      </div>
    </>
  );
}

const linkToSearchOfAllProjects = ({ visit, text }: Pick<Props, 'visit' | 'text'>): string =>
  linkToSearch({ ...visit, projectId: undefined }, text);

const NothingFound = ({ visit, text }: Pick<Props, 'visit' | 'text'>): Html => (
  <EmptyState icon="search" title="Nothing found">
    <p>
      Each search word must be part of a test’s title or file or of an error, or the beginning of a word in a run’s
      build, commit, branch, author or pull request. Quotes join words to a phrase, and a minus before a word excludes
      it. The search finds only runs that have ended.
    </p>
    {'project' in visit ? (
      <a class="button quiet" href={linkToSearchOfAllProjects({ visit, text })}>
        Search all projects
      </a>
    ) : (
      <a class="button quiet" href={linkToOrganization(visit)}>
        All projects
      </a>
    )}
  </EmptyState>
);
