/** The start page of the documentation: a search, and all guides and areas of the API. */
import type { Html } from '#shared/engine/html/html.ts';
import { formatCount } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { getAssetPath } from '#shared/pages/shell/asset-paths.ts';
import { contains } from '#shared/results/contains.ts';
import { type DocsProps, linkToDocsPage, Values } from './chosen-project.tsx';
import { DocsSearch } from './docs-search.tsx';
import { GUIDES, isGuide, readGuide } from './guides.ts';
import { listSections } from './markdown.tsx';
import { OperationLink } from './operations.tsx';
import type { Reference } from './reference-wire.ts';

interface StartProps extends DocsProps {
  readonly reference: Reference;
  /** The searched words. Empty before a search. */
  readonly words: string;
}

export const DocsStart = ({ reference, words, ...props }: StartProps): Html => (
  <>
    <PageHead title="Documentation" />
    <DocsSearch {...props} words={words} />
    <Values {...props} />
    {words === '' ? (
      <Contents {...props} reference={reference} />
    ) : (
      <SearchResults {...props} reference={reference} words={words} />
    )}
  </>
);

const MOST_FOUND = 20;

const findSections = (words: string) =>
  Object.keys(GUIDES)
    .filter(isGuide)
    .flatMap((name) => listSections(readGuide(name)).map((section) => ({ ...section, name })))
    .filter(({ text }) => contains(text, words));

const findOperations = (reference: Reference, words: string) =>
  [...reference.areas]
    .flatMap(([area, operations]) => operations.map((operation) => ({ ...operation, area })))
    .filter(({ summary, method, path, description, operationId }) =>
      contains([summary, method, path, operationId, description].join('\n'), words),
    );

function SearchResults({ reference, words, ...props }: StartProps): Html {
  const sections = findSections(words);
  const operations = findOperations(reference, words);
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
