/** The documentation pages: the start page, the guides, and the choice of the project whose values commands show. */
import type { Html } from '#shared/engine/html/html.ts';
import { formatDsn } from '#shared/organizations/dsn.ts';
import type { OwnProject } from '#shared/organizations/own-organizations.ts';
import { Fact, Notice, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { getAssetPath } from '#shared/pages/shell/asset-paths.ts';
import { buildClientUrl } from '#shared/pages/shell/client-path.ts';
import { linkToDocs, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';
import { GUIDES, type GuideName, isGuide, readGuide } from './guides.ts';
import { listHeadings, Markdown } from './markdown.tsx';
import type { Reference } from './reference-wire.ts';

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

export const DocsStart = ({ reference, ...props }: DocsProps & { readonly reference: Reference }): Html => (
  <>
    <PageHead title="Documentation" />
    <Values {...props} />
    <Panel title="Guides">
      <ul class="prose">
        {Object.entries(GUIDES).map(([name, { title, about }]) => (
          <li>
            <a href={linkToDocsPage(props, name)}>{title}</a> <span class="soft">{about}</span>
          </li>
        ))}
      </ul>
    </Panel>
    <Panel title="API reference" note={<a href={`${props.origin}/v1/docs/openapi.json`}>OpenAPI document</a>}>
      <dl class="facts">
        {[...reference.areas].map(([area, operations]) => (
          <Fact name={<a href={linkToDocsPage(props, `reference/${area}`)}>/{area}</a>}>
            {operations.map(({ operationId, summary }, index) => (
              <>
                {index > 0 && ' · '}
                <a href={`${linkToDocsPage(props, `reference/${area}`)}#${operationId}`}>{summary}</a>
              </>
            ))}
          </Fact>
        ))}
      </dl>
    </Panel>
    <p class="prose">
      <a href={props.visit.base + getAssetPath('third-party-notices.txt')}>Third-party notices</a>{' '}
      <span class="soft">Licenses of the packages that this service contains</span>
    </p>
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
  const project = chosen?.projectId ?? '<project id>';
  return (code) => {
    const values: readonly (readonly [string, string])[] = [
      ...PLACEHOLDERS.projects.map((placeholder) => [placeholder, project] as const),
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
