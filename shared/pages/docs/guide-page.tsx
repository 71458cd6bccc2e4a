/** The page of one guide. */
import type { Html } from '#shared/engine/html/html.ts';
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

/** The guides link to files of the repository. Links to files that the service does not show become plain text. */
function resolveGuideLink(props: DocsProps, url: string): string | undefined {
  if (url.startsWith('#') || /^https?:/.test(url)) return url;
  const [file = '', fragment] = url.split('#');
  const name = { 'CHANGELOG.md': 'changelog', 'functions/README.md': 'api' }[file.replace(/^(?:\.\.\/)+/, '')];
  if (name === undefined || !isGuide(name)) return undefined;
  return linkToDocsPage(props, name) + (fragment === undefined ? '' : `#${fragment}`);
}
