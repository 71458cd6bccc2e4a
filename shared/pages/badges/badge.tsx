/** The image of a badge: an SVG that embeds no fonts or scripts and sends no requests. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { Badge } from '#shared/model/organizations/badge.ts';
import { formatCount } from '#shared/pages/design/format.tsx';

const HEIGHT = 20;
const PADDING = 8;
/** The width of an average character at 11 pixels. `textLength` makes the text fit the width computed from it. */
const CHARACTER = 6.4;

const FONT = 'Verdana,DejaVu Sans,sans-serif';
const LABEL = '#333b48';
const COLORS = { passed: '#1b7f4f', failed: '#c22033', flaky: '#8a5a00', none: '#5e6879' } as const;

function describeState({ state }: Pick<Badge, 'state'>): { readonly text: string; readonly color: string } {
  if (!state) return { text: 'no runs', color: COLORS.none };
  if (state.failures > 0) return { text: `${formatCount(state.failures)} failed`, color: COLORS.failed };
  if (state.hasFailed) return { text: 'failed', color: COLORS.failed };
  if (state.flaky > 0) return { text: `${formatCount(state.flaky)} flaky`, color: COLORS.flaky };
  return { text: 'passed', color: COLORS.passed };
}

const ROUNDING = 4;

const measureText = (text: string): number => Math.ceil([...text].length * CHARACTER) + 2 * PADDING;

export function renderBadgeSvg(badge: Badge): string {
  const { text, color } = describeState(badge);
  const [left, right] = [measureText(badge.label), measureText(text)];
  const inner = HEIGHT - 2 * ROUNDING;
  const corner = `a${ROUNDING} ${ROUNDING} 0 0 1`;
  return `${(
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={left + right}
      height={HEIGHT}
      role="img"
      font-family={FONT}
      font-size={11}
    >
      <title>{`${badge.label}: ${text}`}</title>
      <rect x={0} width={left + right} height={HEIGHT} rx={ROUNDING} fill={color} />
      <path
        fill={LABEL}
        d={`M${left} 0v${HEIGHT}H${ROUNDING}${corner} -${ROUNDING} -${ROUNDING}v-${inner}${corner} ${ROUNDING} -${ROUNDING}z`}
      />
      <BadgeText x={PADDING} width={left}>
        {badge.label}
      </BadgeText>
      <BadgeText x={left + PADDING} width={right}>
        {text}
      </BadgeText>
    </svg>
  )}`;
}

interface TextProps {
  readonly x: number;
  readonly width: number;
  readonly children?: Child;
}

const BadgeText = ({ x, width, children }: TextProps): Html => (
  <text x={x} y={14} fill="#fff" textLength={width - 2 * PADDING}>
    {children}
  </text>
);
