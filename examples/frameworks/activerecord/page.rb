class Product < ActiveRecord::Base
  self.table_name = 'product'

  def self.page(user_id)
    find_by_sql([<<~SQL, user_id])
      SELECT p.*, r.decision FROM lists.recommend(?, 5) r
      JOIN product p ON p.id = r.item ORDER BY r.position
    SQL
  end

  def clicked
    self.class.connection.execute self.class.sanitize_sql(['SELECT lists.reward(?, ?)', decision, id])
  end
end
