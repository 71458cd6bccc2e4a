/**
 * Icons. Each icon that a page uses is defined once, as a symbol at the beginning of the page. Icons therefore need no
 * extra request and take the color of the text beside them.
 */
import type { Html } from '#shared/engine/html/html.ts';
import { ICONS, type IconName } from './icons.ts';

interface Props {
  readonly name: IconName;
  readonly size?: 'small' | 'large' | undefined;
  /** The outcome that determines the color of the icon. */
  readonly tone?: string | undefined;
}

/** An icon beside a text with the same meaning. Screen readers skip the icon. */
export const Icon = ({ name, size, tone }: Props): Html => (
  <svg class={['icon', size, tone].filter(Boolean).join(' ')} aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
);

const REFERENCE = /<use href="#i-([a-z-]+)"/g;
/** Always defined: the script replaces parts of the page of a run in progress, and these parts may use the icons. */
const OF_POLLED_PARTS: readonly IconName[] = ['circle-check', 'circle-x', 'shuffle', 'circle-slash', 'circle-dashed'];

/** Untrusted text in the page cannot add a symbol, because its `<` is escaped. */
export function Sprite({ of }: { readonly of: Html }): Html {
  const usedNames = new Set<string>(OF_POLLED_PARTS);
  for (const [, name = ''] of of.toString().matchAll(REFERENCE)) usedNames.add(name);
  return (
    <svg class="hidden-text" aria-hidden="true">
      {Object.entries(ICONS)
        .filter(([name]) => usedNames.has(name))
        .map(([name, path]) => (
          <symbol id={`i-${name}`} viewBox="0 0 24 24">
            <path d={path} />
          </symbol>
        ))}
    </svg>
  );
}
