/** The error of an attempt: a summary, and the full texts. */
import type { ErrorInfo } from '#shared/context/context-wire.ts';
import { formatPlace } from '#shared/context/format-place.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import { readPictureDifference } from '#shared/errors/picture-difference.ts';
import { readError } from '#shared/errors/read-error.ts';
import { Ansi } from '#shared/pages/design/ansi.tsx';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { OPEN_LINES } from '#shared/pages/shell/limits.ts';
import { DifferingText } from './differing-text.tsx';

export type CodeUrl = (line: { readonly file: string; readonly line: number }) => string | undefined;

interface Props {
  readonly error: ErrorInfo;
  readonly codeUrl: CodeUrl | undefined;
  /** What else happened, such as failed requests. */
  readonly children?: Child;
}

export function ErrorSection({ error, codeUrl, children }: Props): Html {
  const { message, location, snippet, stack } = error;
  const reading = readError({ message, stack, snippet });
  // If values or a difference could be extracted from the message, or its pictures are compared, the summary is enough
  // and the full message is collapsed. Otherwise the full message is shown.
  const isRead =
    reading.expected !== null ||
    reading.received !== null ||
    reading.diff !== null ||
    readPictureDifference(message) !== undefined;
  return (
    <div>
      <Assertion reading={reading}>{children}</Assertion>
      {location && (
        <p class="soft">
          at <PlaceInCode location={location} url={codeUrl?.(location)} />
        </p>
      )}
      {message.trim().includes('\n') && (
        <details open={!isRead}>
          <summary>Full message</summary>
          {reading.diff === null ? <LongText text={message} /> : <DifferingText text={message} />}
        </details>
      )}
      {snippet !== null && reading.frame === null && (
        <figure class="scroll" tabindex={0} aria-label="Code">
          <pre>
            <Ansi text={snippet} />
          </pre>
        </figure>
      )}
      {stack !== null && (
        <details>
          <summary>Stack</summary>
          <pre class="wrap">
            <Ansi text={stack} />
          </pre>
        </details>
      )}
    </div>
  );
}

interface PlaceProps {
  readonly location: NonNullable<ErrorInfo['location']>;
  readonly url: string | undefined;
}

function PlaceInCode({ location, url }: PlaceProps): Html {
  const place = <code>{formatPlace(location)}</code>;
  return url === undefined ? (
    place
  ) : (
    <a href={url} rel="noreferrer">
      {place}
    </a>
  );
}

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
          <summary>Remaining lines ({rest.length})</summary>
          <pre class="wrap">
            <Ansi text={rest.join('\n')} />
          </pre>
        </details>
      )}
    </>
  );
}
