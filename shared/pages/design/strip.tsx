/**
 * Results over time as a row of bars, with the newest on the right. The height and color of a bar show its outcome.
 * Only the newest bar can be reached with the Tab key. The script lets people move to the other bars with the arrow
 * keys.
 */
import type { Html } from '#shared/engine/html/html.ts';
import type { ShownOutcome } from './outcome.tsx';

interface Props {
  readonly label: string;
  /** Newest first. */
  readonly boxes: readonly {
    readonly outcome: ShownOutcome;
    readonly label: string;
    readonly href: string;
    readonly isCurrent?: boolean;
  }[];
}

export const Strip = ({ label, boxes }: Props): Html => (
  <ol class="strip" aria-label={label}>
    {boxes
      .map(({ outcome, label: boxLabel, href, isCurrent }, index) => (
        <li>
          <a
            class={outcome}
            href={href}
            title={boxLabel}
            aria-current={isCurrent ? 'true' : undefined}
            tabindex={index === 0 ? undefined : -1}
          >
            <span class="hidden-text">{boxLabel}</span>
          </a>
        </li>
      ))
      .toReversed()}
  </ol>
);
