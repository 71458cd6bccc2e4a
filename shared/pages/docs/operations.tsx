/** The operations of the API as a list. */
import type { Html } from '#shared/engine/html/html.ts';
import { PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { type DocsProps, linkToDocsPage } from './chosen-project.tsx';
import { DocsSearch } from './docs-search.tsx';
import type { Reference, ReferenceOperation } from './reference-wire.ts';

interface OperationLinkProps {
  readonly operation: Pick<ReferenceOperation, 'operationId' | 'summary' | 'method' | 'path'>;
  /** The page of its area. */
  readonly href: string;
}

export const OperationLink = ({
  operation: { operationId, summary, method, path },
  href,
}: OperationLinkProps): Html => (
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
export const OperationsPage = ({ reference, ...props }: DocsProps & { readonly reference: Reference }): Html => (
  <>
    <PageHead title="API reference" />
    <DocsSearch {...props} />
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
