/** The documentation pages: the start page, the guides, and the choice of the project whose values commands show. */
import type { Html } from '#shared/engine/html/html.ts';
import { formatDsn } from '#shared/organizations/dsn.ts';
import type { OwnProject } from '#shared/organizations/own-organizations.ts';
import { formatCount } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, Notice, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { getAssetPath } from '#shared/pages/shell/asset-paths.ts';
import { buildClientUrl } from '#shared/pages/shell/client-path.ts';
import { linkToDocs, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { contains } from '#shared/results/contains.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';
import { GUIDES, type GuideName, isGuide, readGuide } from './guides.ts';
import { listHeadings, listSections, Markdown } from './markdown.tsx';
import type { Reference, ReferenceOperation } from './reference-wire.ts';

interface DocsProps {
  readonly visit: Visit | AccountVisit;
  readonly origin: string;
  /** The page below `/docs`. Absent on the start page. */
  readonly page?: string;
  /** The projects of the person. Empty if nobody is signed in. */
  readonly projects: readonly OwnProject[];
  /** The project whose values the commands show. */
  readonly chosen: OwnProject | undefined;
}

export const pickProject = (projects: readonly OwnProject[], projectId: string | undefined): OwnProject | undefined =>
  projects.find((project) => project.projectId === projectId) ?? projects[0];

interface StartProps extends DocsProps {
  readonly reference: Reference;
  /** The searched words. Empty before a search. */
  readonly words: string;
}

export const DocsStart = ({ reference, words, ...props }: StartProps): Html => (
  <>
    <PageHead title="Documentation" />
    <Values {...props} />
    <search>
      <form class="filter-bar" method="get" action={linkToDocs(props.visit)} aria-label="Search the documentation">
        <div class="search-field">
          <Icon name="search" />
          <input
            type="search"
            name="q"
            value={words}
            placeholder="Words from a guide or an operation"
            aria-label="Search the documentation"
          />
        </div>
        {props.chosen && <input type="hidden" name="project" value={props.chosen.projectId} />}
        <button type="submit">Search</button>
      </form>
    </search>
    {words === '' ? (
      <Contents {...props} reference={reference} />
    ) : (
      <Found {...props} reference={reference} words={words} />
    )}
  </>
);

const MOST_FOUND = 20;

/** The sections of guides and the operations that contain the words. */
function Found({ reference, words, ...props }: StartProps): Html {
  const sections = Object.keys(GUIDES)
    .filter(isGuide)
    .flatMap((name) => listSections(readGuide(name)).map((section) => ({ ...section, name })))
    .filter(({ text }) => contains(text, words));
  const operations = [...reference.areas].flatMap(([area, all]) =>
    all
      .filter(({ summary, method, path, description, operationId }) =>
        contains([summary, method, path, operationId, description].join('\n'), words),
      )
      .map((operation) => ({ ...operation, area })),
  );
  if (sections.length + operations.length === 0)
    return (
      <EmptyState icon="search" title="Nothing found">
        <p>Each word must be part of a guide or of an operation. Quotes join words, and a minus excludes one.</p>
        <a class="button quiet" href={linkToDocsPage(props)}>
          All documentation
        </a>
      </EmptyState>
    );
  return (
    <>
      {sections.length > 0 && (
        <Panel title="Guides" isFlush>
          <ul class="rows whole">
            {sections.slice(0, MOST_FOUND).map(({ name, id, title }) => (
              <li>
                <Icon name="file-text" />
                <div class="grow">
                  <a class="whole-link" href={`${linkToDocsPage(props, name)}#${id}`}>
                    {title}
                  </a>
                  <div class="meta">{GUIDES[name].title}</div>
                </div>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {operations.length > 0 && (
        <Panel title="API reference" isFlush>
          <ul class="rows whole">
            {operations.slice(0, MOST_FOUND).map(({ area, ...operation }) => (
              <li>
                <Icon name="file-code" />
                <OperationLink operation={operation} href={linkToDocsPage(props, `reference/${area}`)} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

const Contents = ({ reference, ...props }: Omit<StartProps, 'words'>): Html => (
  <>
    <Panel title="Guides">
      <ul class="prose">
        {Object.entries(GUIDES).map(([name, { title, about }]) => (
          <li>
            <a href={linkToDocsPage(props, name)}>{title}</a>
            <p class="soft">{about}</p>
          </li>
        ))}
      </ul>
    </Panel>
    <Panel title="API reference" note={<a href={`${props.origin}/v1/docs/openapi.json`}>OpenAPI document</a>}>
      <p>
        <a href={linkToDocsPage(props, 'reference')}>All operations on one page</a>
      </p>
      <ul class="row chips">
        {[...reference.areas].map(([area, operations]) => (
          <li>
            <a class="chip" href={linkToDocsPage(props, `reference/${area}`)}>
              /{area} <small>{formatCount(operations.length)}</small>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
    <p class="prose">
      <a href={props.visit.base + getAssetPath('third-party-notices.txt')}>
        Third-party notices: licenses of the packages that this service contains
      </a>
    </p>
  </>
);

interface OperationLinkProps {
  readonly operation: Pick<ReferenceOperation, 'operationId' | 'summary' | 'method' | 'path'>;
  /** The page of its area. */
  readonly href: string;
}

const OperationLink = ({ operation: { operationId, summary, method, path }, href }: OperationLinkProps): Html => (
  <div class="grow">
    <a class="whole-link" href={`${href}#${operationId}`}>
      {summary}
    </a>
    <div class="meta">
      <code>
        {method} {path}
      </code>
    </div>
  </div>
);

/** All operations of the API, by the first segment of their path. */
export const OperationsPage = ({ reference, ...props }: Omit<StartProps, 'words'>): Html => (
  <>
    <PageHead title="API reference" />
    {[...reference.areas].map(([area, operations]) => (
      <Panel title={`/${area}`} isFlush>
        <ul class="rows whole">
          {operations.map((operation) => (
            <li>
              <OperationLink operation={operation} href={linkToDocsPage(props, `reference/${area}`)} />
            </li>
          ))}
        </ul>
      </Panel>
    ))}
  </>
);

export function GuidePage({ name, ...props }: DocsProps & { readonly name: GuideName }): Html {
  const root = readGuide(name);
  const headings = listHeadings(root);
  return (
    <>
      <Values {...props} />
      {name !== 'changelog' && headings.length > 1 && (
        <details>
          <summary>On this page</summary>
          <ul>
            {headings.map(({ id, text }) => (
              <li>
                <a href={`#${id}`}>{text}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Markdown root={root} fill={makePlaceholderFiller(props)} hrefOf={(url) => resolveGuideLink(props, url)} />
    </>
  );
}

const linkToDocsPage = ({ visit, chosen }: DocsProps, page?: string): string =>
  linkToDocs(visit, page, { project: chosen?.projectId });

/** Says whose values the commands show, and lets the person choose another project. */
export function Values({ visit, page, projects, chosen }: DocsProps): Html {
  if (!('account' in visit))
    return (
      <Notice>
        <a href={linkToSignIn(visit)}>Sign in</a> to see the commands with the ids of your project.
      </Notice>
    );
  if (!chosen) return <></>;
  return (
    <form class="filter-bar" method="get" action={linkToDocs(visit, page)} aria-label="Project shown in the commands">
      <label for="project">Show commands for</label>
      <select id="project" name="project">
        {projects.map(({ projectId, name, organizationName }) => (
          <option value={projectId} selected={projectId === chosen.projectId}>
            {organizationName} › {name}
          </option>
        ))}
      </select>
      <button type="submit" class="quiet">
        Show
      </button>
    </form>
  );
}

/** How the guides and the reference write values that differ between services and people. */
const PLACEHOLDERS = {
  origins: ['https://rundown.example.com', 'https://results.example.com', '<recordUrl>', '$(setting recordUrl)'],
  projects: ['<project id>', '<projectId>', '{projectId}', "$(setting 'projects[0].projectId')"],
} as const;

/** Defines the shell function `setting`. All of its calls are replaced, so readers on the website do not need it. */
const LOCAL_SETTINGS = /^setting\(\) \{.*\n/;

export function makePlaceholderFiller({
  origin,
  chosen,
}: Pick<DocsProps, 'origin' | 'chosen'>): (code: string) => string {
  const organization = chosen?.organizationId ?? '<organization id>';
  const project = chosen?.projectId ?? '<project id>';
  return (code) => {
    const values: readonly (readonly [string, string])[] = [
      ...PLACEHOLDERS.projects.map((placeholder) => [placeholder, project] as const),
      ['<organization id>', organization],
      ['<dsn>', formatDsn(origin, project, '<key>')],
      ['https://<key>@rundown.example.com', formatDsn(origin, '', '<key>').slice(0, -1)],
      ['https://rundown.example.com/client/<version>/rundown-cli.tgz', buildClientUrl(origin)],
      ...PLACEHOLDERS.origins.map((placeholder) => [placeholder, origin] as const),
      ['$(setting baseUrl)', `${origin}/v1`],
      ['$(setting mcpUrl)', `${origin}/mcp`],
      ['$(setting apiKeys.readOnly)', '$RUNDOWN_API_KEY'],
      ['$(setting apiKeys.readWrite)', '$RUNDOWN_API_KEY'],
      ['$(setting personalAccessToken)', '$RUNDOWN_TOKEN'],
    ];
    return values.reduce(
      (text, [placeholder, value]) => text.replaceAll(placeholder, () => value),
      code.replace(LOCAL_SETTINGS, ''),
    );
  };
}

/** The guides link to files of the repository. Links to files that the service does not show become plain text. */
function resolveGuideLink(props: DocsProps, url: string): string | undefined {
  if (url.startsWith('#') || /^https?:/.test(url)) return url;
  const [file = '', fragment] = url.split('#');
  const name = { 'CHANGELOG.md': 'changelog', 'functions/README.md': 'api' }[file.replace(/^(?:\.\.\/)+/, '')];
  if (name === undefined || !isGuide(name)) return undefined;
  return linkToDocsPage(props, name) + (fragment === undefined ? '' : `#${fragment}`);
}
