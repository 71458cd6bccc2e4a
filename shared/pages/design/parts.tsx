/** The parts that pages are made of: headings, panels, notices, tiles and small marks. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';
import { getOutcomeWord, OUTCOME_ICONS, type ShownOutcome } from './outcome.tsx';

interface HeadProps {
  /** A text, or the title of a test with its suites. */
  readonly title: string | readonly string[];
  readonly outcome?: { readonly outcome: ShownOutcome; readonly label?: string } | undefined;
  /** A sentence or several facts to show below the title. */
  readonly meta?: Child;
  /** Buttons and links. At most one of the buttons should be a primary button. */
  readonly actions?: Child;
}

export const PageHead = ({ title, outcome, meta, actions }: HeadProps): Html => (
  <div class="head">
    {outcome && (
      <span class={`orb ${outcome.outcome}`} title={outcome.label ?? getOutcomeWord(outcome.outcome)}>
        <Icon name={OUTCOME_ICONS[outcome.outcome].plain} size="large" />
        <span class="hidden-text">{outcome.label ?? getOutcomeWord(outcome.outcome)}:</span>
      </span>
    )}
    <div class="grow">
      <h1>{typeof title === 'string' ? title : <TitleOfTest title={title} />}</h1>
      {meta && <div class="meta">{typeof meta === 'string' ? <span>{meta}</span> : meta}</div>}
    </div>
    {actions && <div class="actions">{actions}</div>}
  </div>
);

/** The title of a test, with its suites in gray. */
export const TitleOfTest = ({ title }: { readonly title: readonly string[] }): Html => (
  <>
    {title.length > 1 && <span class="path">{title.slice(0, -1).join(' › ')} › </span>}
    {title.at(-1)}
  </>
);

export const TestName = ({ href, title }: { readonly href: string; readonly title: readonly string[] }): Html => (
  <a class="test-name" href={href}>
    <TitleOfTest title={title} />
  </a>
);

interface PanelProps {
  readonly title: string;
  readonly note?: Child;
  /** Links or buttons at the right end of the title's line. */
  readonly actions?: Child;
  readonly id?: string | undefined;
  readonly children?: Child;
  readonly footer?: Child;
  /** Whether to leave out the padding, because the content has its own padding, as tables and lists do. */
  readonly isFlush?: boolean;
}

export const Panel = ({ title, note, actions, id, children, footer, isFlush = false }: PanelProps): Html => (
  <section class="panel" id={id}>
    <header>
      <h2>{title}</h2>
      {note && <span class="soft">{note}</span>}
      {actions && (
        <>
          <span class="grow" />
          {actions}
        </>
      )}
    </header>
    {isFlush ? children : <div class="pad">{children}</div>}
    {footer && <footer>{footer}</footer>}
  </section>
);

export const GroupHead = ({
  title,
  note,
  id,
}: {
  readonly title: string;
  readonly note?: Child;
  readonly id?: string;
}): Html => (
  <div class="group" id={id}>
    <h2>{title}</h2>
    {note && <span class="soft">{note}</span>}
  </div>
);

type Tone = 'passed' | 'failed' | 'flaky' | 'running';
const NOTICE_ICONS: Readonly<Record<Tone, IconName>> = {
  passed: 'circle-check',
  failed: 'triangle-alert',
  flaky: 'triangle-alert',
  running: 'info',
};

interface NoticeProps {
  /** The color and icon of the notice. Default: neutral information. */
  readonly tone?: Tone;
  /** Whether screen readers announce the notice immediately. */
  readonly isAlert?: boolean;
  readonly children?: Child;
}

/** A sentence that people should read before the rest of the page. */
export const Notice = ({ tone = 'running', isAlert = false, children }: NoticeProps): Html => (
  <div class={tone === 'running' ? 'notice' : `notice ${tone}`} role={isAlert ? 'alert' : undefined}>
    <Icon name={NOTICE_ICONS[tone]} />
    <div>{children}</div>
  </div>
);

interface TileProps {
  readonly label: string;
  readonly value: Child;
  readonly tone?: ShownOutcome | undefined;
  readonly note?: Child;
  /** The list of what the tile counts. */
  readonly href?: string | undefined;
}

export const Tile = ({ label, value, tone, note, href }: TileProps): Html => (
  <div>
    <dt>{href === undefined ? label : <a href={href}>{label}</a>}</dt>
    <dd class={`value ${tone ?? ''}`}>{value}</dd>
    {note && <dd class="note">{note}</dd>}
  </div>
);

/** The numbers of a page in one row. `children`: tiles. */
export const Summary = ({ children, below }: { readonly children?: Child; readonly below?: Child }): Html => (
  <section class="panel" aria-label="Summary">
    <dl class="summary">{children}</dl>
    {below && <div class="below">{below}</div>}
  </section>
);

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** Why the list is empty, and what the person can do. */
  readonly children?: Child;
}

export const EmptyState = ({ icon, title, children }: EmptyProps): Html => (
  <div class="panel empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
);

export const Logo = (): Html => (
  <svg class="mark" viewBox="0 0 28 28" aria-hidden="true">
    <rect x="0" y="0" width="28" height="28" rx="8" fill="var(--accent)" />
    <path d="M8 9h12M8 14h8M8 19h4" fill="none" stroke="var(--on-accent)" stroke-width="2.4" />
  </svg>
);

const AVATAR_COLOURS = 5;

/** The initials of a person, in a color that is derived from the name, so that a person always has the same color. */
export function Avatar({ name }: { readonly name: string }): Html {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : ''];
  const initials = last === '' ? takeLetters(first, 2) : takeLetters(first, 1) + takeLetters(last, 1);
  const colour = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % AVATAR_COLOURS;
  return (
    <span class={`avatar a${colour}`} aria-hidden="true">
      {initials.toUpperCase()}
    </span>
  );
}

const takeLetters = (word: string, count: number): string => [...word].slice(0, count).join('');

interface Choice {
  readonly name: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** Links that switch between alternatives, such as periods. One of the alternatives is selected. */
export const Segments = ({ label, choices }: { readonly label: string; readonly choices: readonly Choice[] }): Html => (
  <nav class="segments" aria-label={label}>
    {choices.map(({ name, href, isCurrent }) => (
      <a href={href} aria-current={isCurrent ? 'true' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);

interface TabProps {
  readonly label: string;
  readonly tabs: readonly (Choice & { readonly count?: number | undefined })[];
}

/** Links that switch between the parts of a page, or between variants of a list. */
export const Tabs = ({ label, tabs }: TabProps): Html => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ name, href, isCurrent, count }) => (
      <a href={href} aria-current={isCurrent ? 'page' : undefined}>
        {name} {count !== undefined && <span class="soft">{count}</span>}
      </a>
    ))}
  </nav>
);

/** A menu for rarely used actions, opened by a button with three dots. `children`: links. */
export const Menu = ({ label, children }: { readonly label: string; readonly children?: Child }): Html => (
  <details class="menu end set">
    <summary aria-label={label} title={label}>
      <Icon name="ellipsis" />
    </summary>
    <div>{children}</div>
  </details>
);

/** The end of a form that is a page of its own: its button, and the way back. */
export const FormActions = ({
  cancelHref,
  children,
}: {
  readonly cancelHref: string;
  readonly children?: Child;
}): Html => (
  <div class="actions">
    {children}
    <a class="button plain" href={cancelHref}>
      Cancel
    </a>
  </div>
);

/** Closes the menu or sheet with this id on phones, where it is a popover. */
export const HideButton = ({ of }: { readonly of: string }): Html => (
  <button type="button" class="plain small hide" popovertarget={of} popovertargetaction="hide">
    <Icon name="x" />
    Close
  </button>
);

/** A button that copies the text. It appears only if scripts are enabled. */
export const Copied = ({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): Html => (
  <button type="button" class="plain small" hidden data-copy={text} aria-label={label} title={label}>
    <Icon name="copy" size="small" />
  </button>
);

interface CopiedTextProps {
  readonly text: string;
  /** The tooltip of the button and its name for screen readers. */
  readonly label?: string;
  /** Whether a long text wraps at the width of a paragraph instead of the width of the page. */
  readonly isReading?: boolean;
}

/** A text to paste elsewhere, such as a command, with a button that copies it. */
export const CopiedText = ({ text, label, isReading = false }: CopiedTextProps): Html => (
  <div class={isReading ? 'copied reading' : 'copied'}>
    <pre class="wrap">{text}</pre>
    <Copied text={text} label={label} />
  </div>
);

/** One row of a list of facts, which is a `dl` with the class `facts`. */
export const Fact = ({ name, children }: { readonly name: Child; readonly children?: Child }): Html => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

interface AlternativesProps {
  readonly legend: string;
  readonly name: string;
  /** The name of the alternative that is selected initially. Default: the first one. */
  readonly selected?: string | undefined;
  /** At most six alternatives. */
  readonly alternatives: readonly { readonly name: string; readonly note?: string; readonly content: Html }[];
}

/**
 * Radio buttons, below which the content of the selected alternative is shown. The style sheet hides the other
 * contents, so no script is needed.
 */
export function Alternatives({ legend, name, selected, alternatives }: AlternativesProps): Html {
  const place = Math.max(
    0,
    alternatives.findIndex((one) => one.name === selected),
  );
  return (
    <div class="alternatives">
      <fieldset>
        <legend>{legend}</legend>
        {alternatives.map((alternative, index) => (
          <label class="choice">
            <input type="radio" name={name} value={alternative.name} checked={index === place} />
            <span>
              {alternative.name}
              {alternative.note && <small>{alternative.note}</small>}
            </span>
          </label>
        ))}
      </fieldset>
      {alternatives.map(({ content }) => (
        <div>{content}</div>
      ))}
    </div>
  );
}
