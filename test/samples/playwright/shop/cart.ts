import { type Line, lineCents } from './prices.ts';

export type Article = { article: string } & Line;

export class Cart {
  readonly articles: Article[] = [];

  add(added: Article): void {
    if (added.pieces < 1) throw new RangeError(`${added.article}: at least one piece is needed, not ${added.pieces}`);
    const known = this.articles.find(({ article }) => article === added.article);
    if (known) known.pieces += added.pieces;
    else this.articles.push({ ...added });
  }

  totalCents(): number {
    return this.articles.reduce((sum, article) => sum + lineCents(article), 0);
  }
}

/** Reserves the last piece. The first request of a session meets a busy warehouse, as `attempt` 0 here. */
export function reserveLastPiece(attempt: number): 'reserved' | 'busy' {
  return attempt === 0 ? 'busy' : 'reserved';
}
