/** What the CI system proved about where the results of a run come from. */
import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisible } from '#shared/engine/plain-text.ts';
import { Icon } from '#shared/pages/design/icon.tsx';
import type { OriginWire } from '#shared/results/runs/origin-wire.ts';

export const OriginNote = ({ origin }: { readonly origin: z.output<typeof OriginWire> }): Html => {
  const { repository, event, person, issuer, ref, provesCommit } = origin;
  const start = person === null ? event : `${event} by ${person}`;
  const rest = provesCommit ? '' : '. The job itself named the commit';
  return (
    <span title={makeVisible(`${issuer} proved it: ${repository}, ${ref}, ${start}${rest}`)}>
      <Icon name="shield" />
      {makeVisible(`Origin proven: ${repository}, ${start}${rest}`)}
    </span>
  );
};
