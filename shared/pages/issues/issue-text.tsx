/** The text of an issue, as the tracker will show it. */
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';
import type { TextBlock, TextSpan } from '#shared/issues/text/blocks.ts';

export const IssueText = ({ text }: { readonly text: readonly TextBlock[] }): Html => (
  <div class="prose">
    {text.map((block) => (
      <BlockOfText block={block} />
    ))}
  </div>
);

function BlockOfText({ block }: { readonly block: TextBlock }): Html {
  switch (block.kind) {
    case 'code':
      return <pre class="wrap">{makeVisible(block.text)}</pre>;
    case 'list':
      return (
        <ul>
          {block.items.map((spans) => (
            <li>
              <Spans spans={spans} />
            </li>
          ))}
        </ul>
      );
    case 'paragraph':
      return (
        <p>
          <Spans spans={block.spans} />
        </p>
      );
  }
}

const Spans = ({ spans }: { readonly spans: readonly TextSpan[] }): Html => (
  <>
    {spans.map((span) => (
      <SpanOfText span={span} />
    ))}
  </>
);

function SpanOfText({ span }: { readonly span: TextSpan }): Html {
  switch (span.kind) {
    case 'text':
      return <>{makeVisible(span.text)}</>;
    case 'code':
      return <code>{makeVisibleLine(span.text)}</code>;
    case 'link':
      return <a href={span.url}>{span.text}</a>;
  }
}
