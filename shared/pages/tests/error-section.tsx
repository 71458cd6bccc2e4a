/** The error of an attempt: message, source and stack. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Ansi } from '#shared/pages/design/ansi.tsx';
import { OPEN_LINES } from '#shared/pages/shell/limits.ts';

interface Props {
  readonly context: TestContext;
  /** Link to all occurrences of this error. Absent for roles that may not see them. */
  readonly alikeHref: string | undefined;
}

export function ErrorSection({ context: { error }, alikeHref }: Props): Html {
  if (!error) {
    return (
      <section aria-labelledby="error">
        <h2 id="error">Error</h2>
        <p>No failure was recorded for this attempt.</p>
      </section>
    );
  }
  const { message, location, snippet, stack } = error;
  return (
    <section aria-labelledby="error">
      <h2 id="error">Error</h2>
      <LongText text={message} />
      {alikeHref !== undefined && (
        <p>
          <a href={alikeHref}>This error in all tests and runs</a>
        </p>
      )}
      {location && (
        <p>
          at <code>{`${location.file}:${location.line}:${location.column}`}</code>
        </p>
      )}
      {snippet !== null && (
        <section class="scroll" tabindex={0} aria-label="Code">
          <pre>
            <Ansi text={snippet} />
          </pre>
        </section>
      )}
      {stack !== null && (
        <details>
          <summary>Stack</summary>
          <pre class="wrap">
            <Ansi text={stack} />
          </pre>
        </details>
      )}
    </section>
  );
}

/** Renders a long text. Shows the first lines, and folds the rest. */
export function LongText({ text }: { readonly text: string }): Html {
  const lines = text.split('\n');
  const rest = lines.slice(OPEN_LINES);
  return (
    <>
      <pre class="wrap">
        <Ansi text={lines.slice(0, OPEN_LINES).join('\n')} />
      </pre>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more lines</summary>
          <pre class="wrap">
            <Ansi text={rest.join('\n')} />
          </pre>
        </details>
      )}
    </>
  );
}
