export type Market = 'retail' | 'wholesale';

export type Line = { pieces: number; unitCents: number; costCents: number };

const taxPercent: Record<Market, number> = { retail: 19, wholesale: 0 };

export function grossCents(netCents: number, market: Market): number {
  return netCents + Math.round((netCents * taxPercent[market]) / 100);
}

/** Ten percent off from 20 pieces. The floor at the cost price is missing on purpose: one test has to fail. */
export function lineCents(line: Line): number {
  const listCents = line.pieces * line.unitCents;
  return line.pieces >= 20 ? Math.round(listCents * 0.9) : listCents;
}

/** Parts of equal size. Loses the odd cents on purpose: one test expects exactly this failure. */
export function splitCents(totalCents: number, parts: number): number[] {
  return Array.from({ length: parts }, () => Math.floor(totalCents / parts));
}
