// Show a page to a member of the shop and report a click, with node-postgres.
//
//     psql -f schema.sql && npm ci && node page.js 42
//
// Debian's package is node-pg, with NODE_PATH=/usr/share/nodejs.
const { Client } = require('pg');

// Profile: the last 50 products that the member clicked
const PROFILE = `
SELECT dlints_profile(p.features)
FROM  (SELECT r.product_id FROM decision d JOIN reward r ON r.decision_id = d.id
       WHERE  d.member_id = $1 AND r.reward > 0
       ORDER  BY d.made_at DESC LIMIT $2) c
JOIN   product p ON p.id = c.product_id`;

// Choose products, log them and return them
const SHOW = `
WITH made AS (
    INSERT INTO decision (model, member_id, profile) VALUES ($1, $2, $3)
    RETURNING id, model, profile),
candidate AS (
    SELECT array_agg(id) AS ids, array_agg(features) AS features
    FROM   product WHERE in_stock)
INSERT INTO impression (decision_id, product_id, rank, probability)
SELECT d.id, s.item, s.rank, s.probability
FROM   made d JOIN model m ON m.name = d.model, candidate c,
       LATERAL dlints_decide(m.state, c.ids, c.features, $4, d.profile, epsilon => $5) s
ORDER  BY s.rank
RETURNING decision_id, product_id`;

// Report the outcome
const REWARD = `
INSERT INTO reward (decision_id, product_id, reward) VALUES ($1, $2, $3)
ON CONFLICT (decision_id, product_id) DO UPDATE SET reward = excluded.reward`;

async function show(db, member) {
  const [{ dlints_profile: profile }] = (await db.query(PROFILE, [member, 50])).rows;
  return (await db.query(SHOW, ['shop', member, profile, 5, 0.05])).rows;
}

function clicked(db, decision, product) {
  return db.query(REWARD, [decision, product, 1]);
}

async function main() {
  const db = new Client();
  await db.connect();
  try {
    const items = await show(db, Number(process.argv[2]));
    console.log(items[0].decision_id, ...items.map((item) => item.product_id));
    await clicked(db, items[0].decision_id, items[0].product_id); // say
  } finally {
    await db.end();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
