/** The page of one guide. */
import type { Html } from '#shared/engine/html/html.ts';
import { linkToOrganization } from '#shared/pages/shell/hrefs.ts';
import { type DocsProps, linkToDocsPage, Values } from './chosen-project.tsx';
import { GUIDES, type GuideName, isGuide, readGuide } from './guides.ts';
import { listHeadings, Markdown } from './markdown.tsx';
import { makePlaceholderFiller } from './placeholders.ts';

export function GuidePage({ name, ...props }: DocsProps & { readonly name: GuideName }): Html {
  const root = readGuide(name);
  const headings = listHeadings(root);
  return (
    <>
      <h1>{GUIDES[name].title}</h1>
      {name !== 'changelog' && <Values {...props} />}
      {name !== 'changelog' && headings.length > 1 && (
        <details class="contents" open>
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

/** Before the links of a guide to pages of the reader's organization. */
const ORGANIZATION = 'https://rundown.example.com/{organizationId}';

const SERVED_FILES: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog',
  'README.md': 'api',
  'functions/README.md': 'api',
  'directory/README.md': 'provisioning',
  'infra/client/package/README.md': 'reporters',
};

/** The guides link to files of the repository. Links to files that the service does not show become plain text. */
function resolveGuideLink(props: DocsProps, url: string): string | undefined {
  if (url.startsWith(ORGANIZATION))
    return props.chosen && url.replace(ORGANIZATION, linkToOrganization({ ...props.visit, ...props.chosen }));
  if (url.startsWith('#') || /^https?:/.test(url)) return url;
  const [file = '', fragment] = url.split('#');
  const name = SERVED_FILES[file.replace(/^(?:\.\.\/)+/, '')];
  if (name === undefined || !isGuide(name)) return undefined;
  return linkToDocsPage(props, name) + (fragment === undefined ? '' : `#${fragment}`);
}
