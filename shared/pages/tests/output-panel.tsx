/** What a test wrote to its standard output and to its standard error. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { Panel } from '#shared/pages/design/parts.tsx';
import { LongText } from './error-section.tsx';

export function Output({
  context: { stdout = [], stderr = [] },
}: {
  readonly context: Pick<TestContext, 'stdout' | 'stderr'>;
}): Html {
  const streams = [
    { name: 'Standard output', lines: stdout },
    { name: 'Standard error', lines: stderr },
  ].filter(({ lines }) => lines.length > 0);
  if (streams.length === 0) return <></>;
  return (
    <Panel title="Output" id="output">
      {streams.map(({ name, lines }) => (
        <details>
          <summary>{name}</summary>
          <LongText text={lines.join('')} />
        </details>
      ))}
    </Panel>
  );
}
