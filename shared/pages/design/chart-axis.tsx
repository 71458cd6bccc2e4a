/** The first and last label of a time axis, as HTML, because text inside an SVG shrinks with it. */
import type { Child, Html } from '#shared/engine/html/html.ts';

interface Props {
  readonly first: Child;
  readonly last: Child;
}

export const ChartAxis = ({ first, last }: Props): Html => (
  <p class="axis">
    <span>{first}</span>
    <span>{last}</span>
  </p>
);
