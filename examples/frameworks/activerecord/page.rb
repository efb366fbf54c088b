class Product < ActiveRecord::Base
  self.table_name = 'product'

  def self.page(person)
    find_by_sql([<<~SQL, person])
      SELECT p.*, r.decision FROM lists.recommend(?, 5) r
      JOIN product p ON p.id = r.item ORDER BY r.place
    SQL
  end

  def clicked
    self.class.connection.execute self.class.sanitize_sql(['SELECT lists.reward(?, ?)', decision, id])
  end
end
