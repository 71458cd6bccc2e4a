export type Order = { id: string; totalCents: number; state: 'open' | 'authorized' | 'paid' };

export function openOrder(id: string, totalCents: number): Order {
  return { id, totalCents, state: 'open' };
}

/** Refuses every card on purpose: the tests that build on an authorized order then cannot run. */
export function authorizeCard(order: Order, card: string): Order {
  throw new Error(`Card ending in ${card.slice(-4)} was refused for order ${order.id}`);
}

export function isCardNumber(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
