// Show a page to a member of the shop and report a click, with JDBC.
//
//     psql -f schema.sql
//     JDBC_URL=jdbc:postgresql://localhost/shop java -cp /usr/share/java/postgresql.jar Page.java 42
import java.sql.*;
import java.util.*;

class Page {
    // Profile: the last 50 products that the member clicked
    static final String PROFILE = String.join("\n",
        "SELECT dlints_profile(p.features)",
        "FROM  (SELECT r.product_id FROM decision d JOIN reward r ON r.decision_id = d.id",
        "       WHERE  d.member_id = ? AND r.reward > 0",
        "       ORDER  BY d.made_at DESC LIMIT ?) c",
        "JOIN   product p ON p.id = c.product_id");

    // Choose products, log them and return them
    static final String SHOW = String.join("\n",
        "WITH made AS (",
        "    INSERT INTO decision (model, member_id, profile) VALUES (?, ?, ?)",
        "    RETURNING id, model, profile),",
        "candidate AS (",
        "    SELECT array_agg(id) AS ids, array_agg(features) AS features",
        "    FROM   product WHERE in_stock)",
        "INSERT INTO impression (decision_id, product_id, rank, probability)",
        "SELECT d.id, s.item, s.rank, s.probability",
        "FROM   made d JOIN model m ON m.name = d.model, candidate c,",
        "       LATERAL dlints_decide(m.state, c.ids, c.features, ?, d.profile, epsilon => ?) s",
        "ORDER  BY s.rank",
        "RETURNING decision_id, product_id");

    // Report the outcome
    static final String REWARD = String.join("\n",
        "INSERT INTO reward (decision_id, product_id, reward) VALUES (?, ?, ?)",
        "ON CONFLICT (decision_id, product_id) DO UPDATE SET reward = excluded.reward");

    static ResultSet query(Connection db, String statement, Object... values) throws SQLException {
        PreparedStatement prepared = db.prepareStatement(statement);
        prepared.closeOnCompletion();
        for (int i = 0; i < values.length; i++)
            prepared.setObject(i + 1, values[i]);
        return prepared.execute() ? prepared.getResultSet() : null;
    }

    static ResultSet show(Connection db, int member) throws SQLException {
        ResultSet row = query(db, PROFILE, member, 50);
        row.next();
        Array profile = row.getArray(1);
        return query(db, SHOW, "shop", member, profile, 5, 0.05);
    }

    static void clicked(Connection db, long decision, int product) throws SQLException {
        query(db, REWARD, decision, product, 1);
    }

    public static void main(String[] arguments) throws SQLException {
        try (Connection db = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
            ResultSet items = show(db, Integer.parseInt(arguments[0]));
            long decision = 0;
            List<Integer> products = new ArrayList<>();
            while (items.next()) {
                decision = items.getLong("decision_id");
                products.add(items.getInt("product_id"));
            }
            System.out.print(decision);
            products.forEach(product -> System.out.print(" " + product));
            System.out.println();
            clicked(db, decision, products.get(0));             // say
        }
    }
}
